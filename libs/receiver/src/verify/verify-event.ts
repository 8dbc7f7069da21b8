import type { WebhookEvent } from '../wire/webhook-event.js';
import { checkSignature } from './check-signature.js';
import { readEvent } from './read-event.js';
import { type ReceivedHeaders, signedHeaders } from './signed-headers.js';
import { signingKey } from './signing-key.js';
import { VerificationError } from './verification-error.js';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly headers: ReceivedHeaders;
  /** The body, byte for byte: not what a framework made of it. */
  readonly rawBody: Uint8Array | string;
}

/** What a request is verified with. */
export interface Verification {
  /** The endpoint's secret as the service showed it, or several: while a secret is rotated, the old and the new one. */
  readonly secrets: string | readonly string[];
  /** Unix time in milliseconds; the clock of the machine when left out. */
  readonly nowMs?: number;
  /** How far the time of the attempt may be from `nowMs`, both ways; five minutes when left out. */
  readonly toleranceMs?: number;
}

const defaultToleranceMs = 300_000;

/**
 * Verifies a request as Standard Webhooks 1.0.0 says and gives its event. The signature is checked before anything that is signed is believed.
 *
 * @throws VerificationError when the request is not to be trusted: answer with its `status`
 * @throws TypeError when the body is not raw, or a secret is none: a mistake of the program
 */
export function verifyEvent({ headers, rawBody }: ReceivedRequest, verification: Verification): WebhookEvent {
  const { secrets, nowMs = Date.now(), toleranceMs = defaultToleranceMs } = verification;
  const keys = [secrets].flat().map(signingKey);
  if (keys.length === 0) throw new TypeError('no webhook secret is given');
  const body = bytesOf(rawBody);
  const signed = signedHeaders(headers);
  checkSignature(signed, body, keys);
  checkTimestamp(Number(signed.timestamp), nowMs, toleranceMs);
  return readEvent(body, signed.id);
}

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new TypeError('rawBody is not bytes or text: a webhook is verified before its body is parsed');
}

function checkTimestamp(timestamp: number, nowMs: number, toleranceMs: number): void {
  const ageMs = Math.floor(nowMs / 1000) * 1000 - timestamp * 1000;
  if (ageMs > toleranceMs) throw new VerificationError('timestamp_too_old', 'the attempt is too long ago');
  if (-ageMs > toleranceMs) throw new VerificationError('timestamp_too_new', 'the attempt is in the future');
}
