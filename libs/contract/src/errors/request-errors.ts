/**
 * What a client does after a refusal: `same-key` repeats the same request under the same key; `fix` corrects the request and may keep the key,
 * which is still free; `new-key` leaves the key to the request that has it and takes another; `never` is not worth repeating.
 */
export type RetryAdvice = 'same-key' | 'new-key' | 'fix' | 'never';

/** One way in which a request is refused. */
export interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  /** When it happens. */
  readonly when: string;
  readonly retry: RetryAdvice;
}

/** Every code with which a request is refused. A refused request leaves its idempotency key free. */
export const requestErrors = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    when: 'A field, a query parameter or a header is against its schema; errors[] names each.',
    retry: 'fix',
  },
  invalid_json: {
    status: 400,
    title: 'The body is not JSON',
    when: 'The body is not JSON, or JSON that parsers read differently (duplicate names, integers beyond 2^53, U+0000, lone surrogates).',
    retry: 'fix',
  },
  invalid_multipart: {
    status: 400,
    title: 'The multipart body is broken',
    when: 'There is no boundary, the body ends early, a part is not of the form described, or a name or text is not UTF-8.',
    retry: 'fix',
  },
  idempotency_key_required: {
    status: 400,
    title: 'An idempotency key is required',
    when: 'The installation requires an Idempotency-Key header on create requests.',
    retry: 'fix',
  },
  idempotency_key_invalid: {
    status: 400,
    title: 'The idempotency key is not valid',
    when: 'The Idempotency-Key header is empty, longer than 255 characters or sent twice, or holds HTML markup or anything but printable ASCII.',
    retry: 'fix',
  },
  endpoint_address_refused: {
    status: 400,
    title: 'The address is refused',
    when: 'The URL of a webhook endpoint names an address that is not public and not allow-listed or that hands out credentials, or uses http where https is required.',
    retry: 'fix',
  },
  unauthenticated: {
    status: 401,
    title: 'No valid API key or link',
    when: 'The Authorization header is missing, its API key is unknown or revoked, or the signature of a link is not valid.',
    retry: 'fix',
  },
  scope_missing: {
    status: 403,
    title: 'The API key lacks a scope',
    when: 'The API key is valid and not allowed to do this.',
    retry: 'fix',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    when: 'The path, or the id in it, names nothing of this account.',
    retry: 'never',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed',
    when: 'The path exists and does not take this method; the Allow header names those it takes.',
    retry: 'fix',
  },
  request_timeout: {
    status: 408,
    title: 'The upload took too long',
    when: 'The body did not arrive within UPLOAD_TIMEOUT.',
    retry: 'same-key',
  },
  idempotency_key_reused: {
    status: 409,
    title: 'The idempotency key was used for another request',
    when: 'The key belongs to another request. Everything that is sent counts, the names and order of documents and the pages and passwords of inputs included.',
    retry: 'new-key',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'The idempotency key is in use',
    when: 'The first request with this key is still being committed.',
    retry: 'same-key',
  },
  job_finished: {
    status: 409,
    title: 'The job has ended',
    when: 'A job is to be cancelled that has completed, failed or been cancelled already.',
    retry: 'never',
  },
  batch_finished: {
    status: 409,
    title: 'The batch has ended',
    when: 'A batch is to be cancelled of which every job has ended already.',
    retry: 'never',
  },
  endpoint_disabled: {
    status: 409,
    title: 'The webhook endpoint is disabled',
    when: 'Something is to be sent to a webhook endpoint that is disabled: enable it first.',
    retry: 'fix',
  },
  endpoint_deleted: {
    status: 409,
    title: 'The webhook endpoint is deleted',
    when: 'A delivery is to be made again whose webhook endpoint was deleted. The event is still to be read.',
    retry: 'never',
  },
  recovery_finished: {
    status: 409,
    title: 'The recovery has ended',
    when: 'A recovery is to be cancelled that is completed or cancelled already.',
    retry: 'never',
  },
  output_expired: {
    status: 410,
    title: 'The output has expired',
    when: 'The output was kept for its time and is gone.',
    retry: 'never',
  },
  request_too_large: {
    status: 413,
    title: 'The request is too large',
    when: 'A file is larger than MAX_FILE_SIZE, or the body larger than MAX_REQUEST_SIZE.',
    retry: 'fix',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    when: 'The Content-Type is neither application/json nor multipart/form-data where the route takes it, or there is a Content-Encoding.',
    retry: 'fix',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The range cannot be satisfied',
    when: 'The Range header names bytes beyond the output.',
    retry: 'fix',
  },
  expectation_failed: {
    status: 417,
    title: 'The expectation cannot be met',
    when: 'The Expect header asks for anything but 100-continue.',
    retry: 'fix',
  },
  input_not_found: {
    status: 422,
    title: 'An input does not exist',
    when: 'An input names a file, a job or an output that does not exist, has expired or belongs to another account, or a job that has failed or been cancelled.',
    retry: 'fix',
  },
  endpoint_limit_reached: {
    status: 422,
    title: 'Too many webhook endpoints',
    when: 'The account has 50 webhook endpoints.',
    retry: 'fix',
  },
  secret_limit_reached: {
    status: 422,
    title: 'Too many live secrets',
    when: 'A webhook endpoint would have more than five secrets that sign: wait until one expires, or rotate with an overlap_seconds of 0.',
    retry: 'fix',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    when: 'The account has used up its budget of new requests (RATE_LIMIT); a repeated request under its key is answered all the same.',
    retry: 'same-key',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    when: 'The request line and the headers together are larger than 16 kB.',
    retry: 'fix',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    when: 'A defect of the service. A create request may have been accepted: repeat it under its key to know.',
    retry: 'same-key',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    when: 'Postgres or the storage cannot be reached, the database is not migrated, or what is stored is encrypted with a key that the process does not have. A create request may have been accepted: repeat it under its key to know.',
    retry: 'same-key',
  },
  storage_full: {
    status: 507,
    title: 'The storage is full',
    when: 'An upload could not be stored; nothing was accepted.',
    retry: 'same-key',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

/** A code of {@link requestErrors}. */
export type RequestErrorCode = keyof typeof requestErrors;
