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
  readonly state: 'healthy' | 'failing' | 'disabled';
  readonly secrets: readonly { readonly id: string; readonly created_at: string; readonly expires_at: string | null }[];
  readonly failing_since: string | null;
  readonly created_at: string;
  /** `whsec_...`, only in the answer to its creation. */
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
}
