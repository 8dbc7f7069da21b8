import { isReservedHeader, type SecretKeyring, typeId, webhookHeaders } from '#libs/domain';
import type { ClaimedDelivery } from '#libs/persistence';
import type { WebhookRequest } from '../send-request/send-request.js';

/** The signed request of one attempt, or why there is none: nothing is ever sent unsigned. */
export type PreparedRequest =
  | {
      readonly kind: 'ready';
      readonly request: WebhookRequest;
      /** Of the endpoint's own headers: shown nowhere. */
      readonly headerValues: readonly string[];
    }
  | { readonly kind: 'unsigned'; readonly error: Error };

/** Opens the endpoint's secrets and headers and signs the stored text for this attempt (Standard Webhooks 1.0.0). */
export function prepareRequest(
  delivery: ClaimedDelivery,
  keyring: SecretKeyring,
  attempt: { readonly at: Date; readonly userAgent: string },
): PreparedRequest {
  try {
    const secrets = delivery.sealedSecrets.map((sealed) => keyring.open(sealed));
    if (secrets.length === 0) throw new Error('the endpoint has no live secret');
    const message = {
      id: typeId('evt', delivery.eventId),
      timestamp: Math.floor(attempt.at.getTime() / 1000),
      body: delivery.body,
    };
    const own = customHeaders(delivery.sealedHeaders, keyring);
    const headers = {
      ...own,
      'content-type': 'application/json',
      'user-agent': attempt.userAgent,
      ...webhookHeaders(message, secrets),
      'pdfonce-delivery-id': typeId('dlv', delivery.id),
    };
    const request = { url: delivery.url, headers, body: Buffer.from(delivery.body) };
    return { kind: 'ready', request, headerValues: Object.values(own) };
  } catch (error) {
    return { kind: 'unsigned', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function customHeaders(sealed: string | null, keyring: SecretKeyring): Record<string, string> {
  if (sealed === null) return {};
  const headers = Object.entries(JSON.parse(keyring.open(sealed)) as Record<string, string>);
  const named = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(named.filter(([name]) => !isReservedHeader(name)));
}
