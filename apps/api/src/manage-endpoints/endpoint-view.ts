import { type SecretKeyring, typeId, withoutCredentials } from '#libs/domain';
import type { Endpoint } from '#libs/persistence';
import { openedHeaders } from './sealed-headers.js';

/** The public JSON of a webhook endpoint: header values are masked, user name and password of its URL too, and its secret is shown only where it is given. */
export function endpointView(endpoint: Endpoint, keyring: SecretKeyring, secret?: string) {
  return {
    id: typeId('ep', endpoint.id),
    object: 'webhook_endpoint' as const,
    url: withoutCredentials(endpoint.url),
    event_types: endpoint.eventTypes,
    description: endpoint.description,
    headers: masked(openedHeaders(endpoint.sealedHeaders, keyring)),
    metadata: endpoint.metadata,
    retry_schedule: endpoint.retrySchedule,
    state: endpoint.state,
    disabled_at: endpoint.disabledAt?.toISOString() ?? null,
    disabled_reason: endpoint.disabledReason,
    secrets: endpoint.secrets.map((each) => ({
      id: typeId('sec', each.id),
      created_at: each.createdAt.toISOString(),
      expires_at: each.expiresAt?.toISOString() ?? null,
    })),
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
    ...(secret === undefined ? {} : { secret }),
  };
}

function masked(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '***']));
}
