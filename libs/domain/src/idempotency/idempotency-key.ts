/** What a request's `Idempotency-Key` header says. */
export type KeyReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'invalid'; readonly problem: string };

const longestKey = 255;

/**
 * Reads the raw header lines of one request. The bare value and the quoted string of RFC 8941 (3.3.3) are the same key.
 *
 * @param values every raw `Idempotency-Key` line, in order
 */
export function readIdempotencyKey(values: readonly string[]): KeyReading {
  const [value, ...others] = values;
  if (value === undefined) return { kind: 'absent' };
  if (others.length > 0) return invalid('the header was sent more than once');
  const key = unquote(value.trim());
  if (key === null) return invalid('the quoted value is not a string of RFC 8941');
  const problem = problemOf(key);
  return problem === null ? { kind: 'key', key } : invalid(problem);
}

function problemOf(key: string): string | null {
  if (key.length === 0) return 'the key is empty';
  if (key.length > longestKey) return `the key has ${key.length} characters, at most ${longestKey} are allowed`;
  if (!/^[\x20-\x7e]*$/.test(key)) return 'the key has characters other than printable ASCII';
  if (/[<>]/.test(key)) return 'the key has HTML markup (< or >)';
  return null;
}

function unquote(value: string): string | null {
  if (!value.startsWith('"')) return value.includes('"') ? null : value;
  const inner = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1];
  return inner === undefined ? null : inner.replace(/\\(["\\])/g, '$1');
}

function invalid(problem: string): KeyReading {
  return { kind: 'invalid', problem };
}
