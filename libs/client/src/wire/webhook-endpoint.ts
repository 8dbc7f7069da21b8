/** Where webhooks are sent. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly object: 'webhook_endpoint';
  readonly url: string;
  readonly event_types: readonly string[];
  readonly description: string | null;
  /** Values are masked. */
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds before each attempt after the first; `null` for the default. */
  readonly retry_schedule: readonly number[] | null;
  readonly state: 'healthy' | 'failing' | 'disabled';
  readonly disabled_at: string | null;
  /** It answered 410, it failed for too long, or it was asked for. */
  readonly disabled_reason: 'gone' | 'failing' | 'requested' | null;
  readonly secrets: readonly { readonly id: string; readonly created_at: string; readonly expires_at: string | null }[];
  readonly failing_since: string | null;
  readonly created_at: string;
  /** `whsec_...`, only in the answers to its creation and to its rotation. */
  readonly secret?: string | undefined;
}

/** An endpoint to create. */
export interface WebhookEndpointRequest {
  readonly url: string;
  /** Such as `job.completed` or `job.*`; all when left out. */
  readonly event_types?: readonly string[] | undefined;
  readonly description?: string | null | undefined;
  /** Sent with every webhook. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Seconds before each attempt after the first: up to 20 of up to a day each, 14 days in all. */
  readonly retry_schedule?: readonly number[] | null | undefined;
}

/** What to change of an endpoint. What is left out stays; `null` takes a member back to what it is when an endpoint is created without it. */
export interface WebhookEndpointPatch {
  readonly url?: string | undefined;
  readonly event_types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  /** Headers that are not named stay; `null` removes one. */
  readonly headers?: Readonly<Record<string, string | null>> | null | undefined;
  /** Entries that are not named stay; `null` removes one. */
  readonly metadata?: Readonly<Record<string, string | null>> | null | undefined;
  readonly retry_schedule?: readonly number[] | null | undefined;
}

/** How to rotate a secret. */
export interface SecretRotation {
  /** For how long the secrets that are replaced go on signing: up to 604,800 s, a day when left out. */
  readonly overlap_seconds?: number | undefined;
}
