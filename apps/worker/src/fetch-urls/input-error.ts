import type { ExceededLimit, JobError } from '#libs/domain';
import { AddressRefused, type NetworkFailure, networkFailure, refusalSentence } from '#libs/egress';
import { BlobTooLarge } from '#libs/storage';
import { AnswerUnfit, type FetchFailed, TooLargeTogether } from './fetch-failed.js';

/** An input that was to be fetched; only the host of its URL is told, for the rest may be a secret. */
export interface UrlInput {
  readonly index: number;
  readonly url: string;
}

const whatFailed: Readonly<Record<Exclude<NetworkFailure, 'address_refused' | 'timeout'>, string>> = {
  dns_error: 'its name does not resolve',
  connection_refused: 'it refuses the connection',
  connection_reset: 'it lost the connection',
  connection_failed: 'no connection to it could be made',
  tls_error: 'its certificate or its TLS is not valid',
  invalid_response: 'what it answers is no HTTP',
  unknown: 'the request could not be made',
};

/** What a job fails with when an input could not be fetched. */
export function inputError(input: UrlInput, failed: FetchFailed | BlobTooLarge): JobError {
  if (failed instanceof BlobTooLarge)
    return tooLarge(input, `is larger than ${failed.maxBytes} bytes (MAX_FILE_SIZE)`, 'MAX_FILE_SIZE', failed.maxBytes);
  const { cause, redirects } = failed;
  if (cause instanceof TooLargeTogether) {
    const what = `makes the inputs by url larger than ${cause.maxBytes} bytes together (MAX_REQUEST_SIZE)`;
    return tooLarge(input, what, 'MAX_REQUEST_SIZE', cause.maxBytes);
  }
  if (cause instanceof AddressRefused) {
    const subject = redirects === 0 ? 'its url' : 'a redirect from its url';
    const why = refusalSentence(cause.refusal, 'INPUT_ALLOW');
    return final(input, 'input_refused_address', `is not fetched: ${subject} ${why}`);
  }
  if (cause instanceof AnswerUnfit) return ofAnswer(input, cause);
  return ofNetwork(input, networkFailure(cause));
}

/** What a job fails with when an input was not fetched in time. */
export function inputTimeout(input: UrlInput, what: string): JobError {
  return passing(input, 'input_timeout', `could not be fetched from ${hostOf(input)}: ${what}`);
}

function ofAnswer(input: UrlInput, { did, mayPass }: AnswerUnfit): JobError {
  const what = `could not be fetched: ${hostOf(input)} ${did}`;
  return mayPass ? passing(input, 'input_unreachable', what) : final(input, 'input_unavailable', what);
}

function ofNetwork(input: UrlInput, failure: NetworkFailure): JobError {
  if (failure === 'timeout') return inputTimeout(input, 'the server was silent for too long');
  const why = failure === 'address_refused' ? whatFailed.unknown : whatFailed[failure];
  return passing(input, 'input_unreachable', `could not be fetched from ${hostOf(input)}: ${why}`);
}

function passing({ index }: UrlInput, code: string, what: string): JobError {
  return { code, message: `Input ${index} ${what}.`, retryable: true, input: index, limit: null };
}

/** How large it would have become is not known: the reading was broken off. */
function tooLarge(input: UrlInput, what: string, name: string, allowed: number): JobError {
  const limit: ExceededLimit = { name, allowed, actual: null };
  return { ...final(input, 'input_too_large', what), limit };
}

function final({ index }: UrlInput, code: string, what: string): JobError {
  return { code, message: `Input ${index} ${what}.`, retryable: false, input: index, limit: null };
}

function hostOf({ url }: UrlInput): string {
  return new URL(url).host;
}
