import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** One part of a multipart request as far as the request's identity goes: never the bytes of a document. */
export interface FingerprintPart {
  readonly field: string;
  readonly value:
    { readonly kind: 'json'; readonly json: unknown } | { readonly kind: 'text'; readonly text: string } | FilePart;
}

interface FilePart {
  readonly kind: 'file';
  readonly fileName: string;
  readonly sha256: string;
}

/** The body of a request, as sent: before defaults and coercion. */
export type FingerprintBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly json: unknown }
  | { readonly kind: 'multipart'; readonly parts: readonly FingerprintPart[] };

/** What tells two requests under one key apart. */
export interface FingerprintInput {
  readonly method: string;
  readonly route: string;
  readonly query: string;
  readonly body: FingerprintBody;
}

/** Every way in which a stored fingerprint may have been made; one is taken out only when no key is kept that has it. */
const versions: ReadonlyMap<string, (input: FingerprintInput) => string> = new Map([['v1', hashOfParts]]);

/** The identity of a request: the version of the way in which it was made, a colon, and a hash in hexadecimal. */
export function fingerprint(input: FingerprintInput): string {
  return `v1:${hashOfParts(input)}`;
}

/** Whether a stored fingerprint, of whatever version, is that of a request; `unknown` when it is of a version that this release does not make. */
export function compareFingerprint(stored: string, input: FingerprintInput): 'same' | 'other' | 'unknown' {
  const [version = '', kept] = stored.split(':');
  const make = versions.get(version);
  if (make === undefined) return 'unknown';
  return make(input) === kept ? 'same' : 'other';
}

/**
 * The SHA-256 over the length-prefixed parts of a request. JSON is taken in canonical form (RFC 8785), multipart fields by name, with the order
 * of repeated ones kept.
 */
function hashOfParts(input: FingerprintInput): string {
  const parts = [input.method, input.route, input.query, input.body.kind, ...bodyParts(input.body)];
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''));
}

function bodyParts(body: FingerprintBody): readonly string[] {
  if (body.kind === 'none') return [];
  if (body.kind === 'json') return [canonicalJson(body.json)];
  const byField = [...body.parts].sort((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0));
  return byField.flatMap((part) => [part.field, part.value.kind, ...valueParts(part.value)]);
}

function valueParts(value: FingerprintPart['value']): readonly string[] {
  if (value.kind === 'json') return [canonicalJson(value.json)];
  if (value.kind === 'text') return [value.text];
  return [value.fileName, value.sha256];
}
