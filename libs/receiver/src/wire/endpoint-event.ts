/** A webhook endpoint of the account whose state changed. */
export interface EndpointEventData {
  readonly id: string;
  readonly object: 'webhook_endpoint';
  /** Without user name and password. */
  readonly url: string;
  /** The state that it has now. */
  readonly state: 'healthy' | 'failing' | 'disabled';
  /** Why it was disabled: it answered 410, it failed for too long, or its account asked for it. */
  readonly reason: 'gone' | 'failing' | 'requested' | null;
  readonly failing_since: string | null;
  /** Grows with every change of the endpoint's state: an event with a smaller one than the last is old news. */
  readonly sequence: number;
}
