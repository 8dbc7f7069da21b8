import { typeId } from '#libs/domain';
import type { ListedApiKey } from '#libs/persistence';

/** The public JSON of an API key; its secret is shown only where it is given. */
export function apiKeyView(key: ListedApiKey, secret?: string) {
  return {
    id: typeId('key', key.id),
    object: 'api_key' as const,
    name: key.name,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    ...(secret === undefined ? {} : { secret }),
  };
}
