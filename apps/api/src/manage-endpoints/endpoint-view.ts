import { type SecretKeyring, typeId } from '#libs/domain';
import type { Endpoint } from '#libs/persistence';

/** The public JSON of a webhook endpoint: header values are masked, and its secret is shown only where it is given. */
export function endpointView(endpoint: Endpoint, keyring: SecretKeyring, secret?: string) {
  return {
    id: typeId('ep', endpoint.id),
    object: 'webhook_endpoint' as const,
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    description: endpoint.description,
    headers: masked(endpoint.sealedHeaders, keyring),
    metadata: endpoint.metadata,
    state: endpoint.state,
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

function masked(sealed: string | null, keyring: SecretKeyring): Readonly<Record<string, string>> {
  if (sealed === null) return {};
  const headers = JSON.parse(keyring.open(sealed)) as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '***']));
}
