import { createHmac } from 'node:crypto';

const secretPrefix = 'whsec_';
const secretBytes = 32;

/** Makes the text of an endpoint secret (Standard Webhooks 1.0.0: `whsec_` and base64). */
export function webhookSecret(randomBytes: (size: number) => Buffer): string {
  return `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`;
}

/** What is signed and sent in one attempt. */
export interface SignedMessage {
  readonly id: string;
  /** Unix time of this attempt, in seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of one attempt (Standard Webhooks 1.0.0): one `v1` signature for each live secret. */
export function webhookHeaders(message: SignedMessage, secrets: readonly string[]): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => webhookSignature(message, secret)).join(' '),
  };
}

function webhookSignature({ id, timestamp, body }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
