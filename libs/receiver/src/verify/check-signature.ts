import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignedHeaders } from './signed-headers.js';
import { VerificationError } from './verification-error.js';

/** `v1` is HMAC-SHA256: the base64 of 32 bytes. */
const v1 = /^v1,[A-Za-z0-9+/]{43}=$/;
const otherVersion = /^(?!v1,)v\w+,\S+$/;

/**
 * Checks that one of the signatures is that of the body under one of the keys (Standard Webhooks 1.0.0, `v1`). Signatures of other versions
 * are passed over.
 *
 * @throws VerificationError `malformed_signature` when none can be right whatever the key is, `no_matching_signature` when none is
 */
export function checkSignature(headers: SignedHeaders, rawBody: Uint8Array, keys: readonly Uint8Array[]): void {
  const given = headers.signatures.split(' ').filter((signature) => signature !== '');
  const candidates = given.filter((signature) => v1.test(signature)).map((signature) => Buffer.from(signature));
  const expected = keys.map((key) => signatureOf(headers, rawBody, key));
  if (candidates.some((candidate) => expected.some((signature) => timingSafeEqual(candidate, signature)))) return;
  if (candidates.length === 0 && !given.some((signature) => otherVersion.test(signature)))
    throw new VerificationError('malformed_signature', 'webhook-signature holds no signature of the form v1,<base64>');
  throw new VerificationError('no_matching_signature', 'no signature is that of this body under a secret given here');
}

function signatureOf({ id, timestamp }: SignedHeaders, rawBody: Uint8Array, key: Uint8Array): Buffer {
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64');
  return Buffer.from(`v1,${digest}`);
}
