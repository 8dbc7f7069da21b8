/** Where a delivery is. */
export type DeliveryState = 'pending' | 'delivering' | 'delivered' | 'exhausted' | 'skipped' | 'cancelled';

/** One request to an endpoint. */
export interface DeliveryAttempt {
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly outcome: string;
  readonly status_code: number | null;
  readonly response_body: string | null;
}

/** The sending of one event to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly object: 'delivery';
  readonly event_id: string;
  readonly event_type: string;
  readonly endpoint_id: string;
  readonly state: DeliveryState;
  readonly attempts: readonly DeliveryAttempt[];
  readonly next_attempt_at: string | null;
  readonly redelivery_of: string | null;
  readonly created_at: string;
}
