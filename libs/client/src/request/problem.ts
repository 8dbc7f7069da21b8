import { retryAfterMs } from './retry-after-ms.js';

/** What a refusal says (RFC 9457), as far as it could be read. */
export interface Problem {
  readonly status: number;
  readonly code: string | null;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
}

const longestExcerpt = 200;

/**
 * Reads a refusal. One that is no problem document, as a proxy sends it, has no code and the beginning of its text as detail.
 *
 * @param nowMs milliseconds since 1970, for a `Retry-After` that is a date
 */
export function problemOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
  nowMs: number,
): Problem {
  const told = { status, requestId: headers.get('x-request-id'), retryAfterMs: retryAfterMs(headers, nowMs) };
  const document = readDocument(body);
  if (document === null) {
    return { ...told, code: null, detail: body.slice(0, longestExcerpt).trim() || 'no detail', errors: [] };
  }
  const detail = document.detail ?? document.title ?? 'no detail';
  return { ...told, code: document.code, detail, errors: document.errors ?? [] };
}

interface ProblemDocument {
  readonly code: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: Problem['errors'];
}

function readDocument(body: string): ProblemDocument | null {
  try {
    const value: unknown = JSON.parse(body);
    return isProblemDocument(value) ? value : null;
  } catch {
    return null;
  }
}

function isProblemDocument(value: unknown): value is ProblemDocument {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string';
}
