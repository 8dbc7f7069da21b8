/**
 * What a client does after a failed job, whose key keeps naming it: `new-key` sends the same request under a new key, `fix-new-key` a
 * corrected one under a new key.
 */
export type JobRetryAdvice = 'new-key' | 'fix-new-key';

/** One way in which an accepted job fails. The key of its request keeps naming it. */
export interface JobErrorEntry {
  readonly title: string;
  /** When it happens. */
  readonly when: string;
  /** Whether the same work may succeed another time. */
  readonly retryable: boolean;
  readonly retry: JobRetryAdvice;
}

/** Every code with which an accepted job fails. */
export const jobErrors = {
  not_a_pdf: {
    title: 'An input is not a PDF document',
    when: 'The bytes of an input are not those of a PDF, whatever its name and media type say.',
    retryable: false,
    retry: 'fix-new-key',
  },
  corrupt_document: {
    title: 'An input is damaged beyond reading',
    when: 'An input begins as a PDF and its pages cannot be read.',
    retryable: false,
    retry: 'fix-new-key',
  },
  password_required: {
    title: 'An input is encrypted',
    when: 'An input cannot be opened without a password.',
    retryable: false,
    retry: 'fix-new-key',
  },
  password_invalid: {
    title: 'A password does not open its input',
    when: 'An input is encrypted, and neither its user password nor its owner password is the one that was sent with it.',
    retryable: false,
    retry: 'fix-new-key',
  },
  page_out_of_range: {
    title: 'A range names pages that the document does not have',
    when: 'The options, or the pages of an input, name a page behind the last one or before the first one, or leave no page.',
    retryable: false,
    retry: 'fix-new-key',
  },
  unsupported_feature: {
    title: 'An input needs what is not built',
    when: 'An input is sound and uses a part of PDF that the operation cannot keep right, such as an encryption other than by password. The message names it.',
    retryable: false,
    retry: 'fix-new-key',
  },
  unsupported_glyph: {
    title: 'A font lacks a character of the text',
    when: 'The text of a watermark has a character for which its font has no glyph. The message names the character; another font may be sent with the job.',
    retryable: false,
    retry: 'fix-new-key',
  },
  unsupported_image: {
    title: 'An image cannot be read',
    when: 'An input that the options name as an image is damaged, is too large, or is no PNG, JPEG, WebP, GIF or TIFF.',
    retryable: false,
    retry: 'fix-new-key',
  },
  unsupported_font: {
    title: 'A font cannot be read',
    when: 'An input that the options name as a font is damaged, or is no single TrueType or OpenType font.',
    retryable: false,
    retry: 'fix-new-key',
  },
  limit_exceeded: {
    title: 'A job is beyond a limit of the installation',
    when: 'The inputs have more pages than MAX_PAGES, or the outputs are more than MAX_OUTPUTS or larger than MAX_OUTPUT_SIZE together, or a document is beyond one of the fixed limits. The limit of the error says which.',
    retryable: false,
    retry: 'fix-new-key',
  },
  time_limit: {
    title: 'The work took longer than JOB_TIMEOUT',
    when: 'One attempt ran for longer than JOB_TIMEOUT, or used more processor time than that, and was ended. Smaller inputs, or a larger JOB_TIMEOUT, may do.',
    retryable: false,
    retry: 'fix-new-key',
  },
  memory_limit: {
    title: 'The work needed more memory than JOB_MEMORY',
    when: 'One attempt needed more memory than JOB_MEMORY and was ended. Smaller inputs, or a larger JOB_MEMORY, may do.',
    retryable: false,
    retry: 'fix-new-key',
  },
  input_failed: {
    title: 'A job whose output is an input ended without it',
    when: 'The job that an input names failed, was cancelled, has expired or made no output of that number. The job was never started (attempt 0), and its message names the input and the cause.',
    retryable: false,
    retry: 'fix-new-key',
  },
  input_unreachable: {
    title: 'An input could not be fetched',
    when: 'The server of a url could not be reached in any attempt: its name does not resolve, it refuses or loses the connection, its certificate is not valid, or it answers 5xx, 408, 425 or 429.',
    retryable: true,
    retry: 'new-key',
  },
  input_timeout: {
    title: 'An input took too long to fetch',
    when: 'In the last attempt the server of a url sent nothing for 30 s, or the inputs were not fetched within INPUT_TIMEOUT.',
    retryable: true,
    retry: 'new-key',
  },
  input_unavailable: {
    title: 'The server of an input does not give the document',
    when: 'The server of a url answered with a status other than 200, such as 404, with more than 5 redirects or one that leads nowhere, or with a Content-Encoding.',
    retryable: false,
    retry: 'fix-new-key',
  },
  input_refused_address: {
    title: 'An input is at an address that is not fetched from',
    when: 'The url of an input, or a redirect from it, leads to an address that is not public and not in INPUT_ALLOW or that hands out credentials, or by http where https is required.',
    retryable: false,
    retry: 'fix-new-key',
  },
  input_too_large: {
    title: 'An input is too large',
    when: 'The document of a url is larger than MAX_FILE_SIZE, or those of all urls together are larger than MAX_REQUEST_SIZE.',
    retryable: false,
    retry: 'fix-new-key',
  },
  job_cancelled: {
    title: 'The job was cancelled',
    when: 'Somebody of the account cancelled the job, or its batch, before it completed.',
    retryable: false,
    retry: 'new-key',
  },
  attempts_exhausted: {
    title: 'Every attempt was lost to a crash or an outage',
    when: 'The job was tried JOB_MAX_ATTEMPTS times, and each time the worker, its storage or its database was lost. The document may be fine.',
    retryable: true,
    retry: 'new-key',
  },
} as const satisfies Readonly<Record<string, JobErrorEntry>>;

/** A code of {@link jobErrors}. */
export type JobErrorCode = keyof typeof jobErrors;
