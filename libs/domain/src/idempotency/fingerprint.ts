import { createHash } from 'node:crypto';
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

/**
 * The identity of a request: `v1:` and the SHA-256, in hexadecimal, over its length-prefixed parts. JSON is taken in canonical form
 * (RFC 8785), multipart fields by name, with the order of repeated ones kept.
 */
export function fingerprint(input: FingerprintInput): string {
  const hash = createHash('sha256');
  for (const part of [input.method, input.route, input.query, input.body.kind, ...bodyParts(input.body)]) {
    hash.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return `v1:${hash.digest('hex')}`;
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
