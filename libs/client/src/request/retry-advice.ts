/**
 * What to do after a refusal. `same-key`: repeat the same request under its key. `new-key`: the key stands for another request, this one
 * needs one of its own. `fix`: correct the request and send it under the same key. `never`: repeating it changes nothing.
 */
export type RetryAdvice = 'same-key' | 'new-key' | 'fix' | 'never';

/** The advice for each code with which the service refuses a request. */
export const retryAdvice: Readonly<Record<string, RetryAdvice>> = {
  invalid_request: 'fix',
  invalid_json: 'fix',
  invalid_multipart: 'fix',
  idempotency_key_required: 'fix',
  idempotency_key_invalid: 'fix',
  endpoint_address_refused: 'fix',
  unauthenticated: 'fix',
  scope_missing: 'fix',
  not_found: 'never',
  method_not_allowed: 'fix',
  request_timeout: 'same-key',
  idempotency_key_reused: 'new-key',
  idempotency_key_in_use: 'same-key',
  job_finished: 'never',
  batch_finished: 'never',
  endpoint_disabled: 'fix',
  endpoint_deleted: 'never',
  recovery_finished: 'never',
  output_expired: 'never',
  request_too_large: 'fix',
  unsupported_media_type: 'fix',
  expectation_failed: 'fix',
  headers_too_large: 'fix',
  range_not_satisfiable: 'fix',
  input_not_found: 'fix',
  endpoint_limit_reached: 'fix',
  secret_limit_reached: 'fix',
  rate_limited: 'same-key',
  internal_error: 'same-key',
  unavailable: 'same-key',
  storage_full: 'same-key',
};

const passingStatuses: readonly number[] = [408, 425, 429];

/** The advice for a refusal; one with a code that is not in the table, or with none, as from a proxy, is judged by its status. */
export function adviceFor(status: number, code: string | null): RetryAdvice {
  const known = code !== null && Object.hasOwn(retryAdvice, code) ? retryAdvice[code] : undefined;
  if (known !== undefined) return known;
  if (status >= 500 || passingStatuses.includes(status)) return 'same-key';
  return status === 404 || status === 410 ? 'never' : 'fix';
}
