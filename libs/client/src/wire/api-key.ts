/** What an API key may do. */
export type Scope = 'jobs:write' | 'jobs:read' | 'webhooks:manage' | 'admin';

/** An API key of the account. */
export interface ApiKey {
  readonly id: string;
  readonly object: 'api_key';
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  /** To the minute. */
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  /** Only in the answer to its creation. */
  readonly secret?: string | undefined;
}

/** An API key to create. */
export interface ApiKeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
}
