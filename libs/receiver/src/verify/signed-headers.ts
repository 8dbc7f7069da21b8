import { VerificationError } from './verification-error.js';

/** Headers as Node (`request.headers`) or fetch (`Headers`) gives them; the case of their names does not count. */
export type ReceivedHeaders = FetchHeaders | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of `Headers` that is read, whoever made it. */
interface FetchHeaders {
  get(name: string): string | null;
}

/** What the headers of Standard Webhooks say. */
export interface SignedHeaders {
  readonly id: string;
  /** Unix time of the attempt in seconds, as it was sent. */
  readonly timestamp: string;
  /** One or several, separated by spaces. */
  readonly signatures: string;
}

const unixSeconds = /^(0|[1-9]\d{0,11})$/;

/** Reads the three headers. @throws VerificationError when one is missing or sent twice, or the timestamp is no whole number */
export function signedHeaders(headers: ReceivedHeaders): SignedHeaders {
  const read = (name: string): string => {
    const [value = '', ...others] = valuesOf(headers, name);
    if (value === '' || others.length > 0) throw new VerificationError('missing_header', `${name} is needed, once`);
    return value;
  };
  const [id, timestamp, signatures] = [read('webhook-id'), read('webhook-timestamp'), read('webhook-signature')];
  if (!unixSeconds.test(timestamp))
    throw new VerificationError('malformed_timestamp', 'webhook-timestamp is not a number of seconds');
  return { id, timestamp, signatures };
}

function valuesOf(headers: ReceivedHeaders, name: string): readonly string[] {
  if (isOfFetch(headers)) return [headers.get(name) ?? ''];
  return Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? (value ?? []) : []));
}

function isOfFetch(headers: ReceivedHeaders): headers is FetchHeaders {
  return typeof headers['get'] === 'function';
}
