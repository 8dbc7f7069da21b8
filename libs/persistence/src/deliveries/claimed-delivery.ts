/** Which deliveries share slots, in the order of their promptness: each may use its own share of the slots and those of the ones after it. */
export const deliveryLanes = ['quick', 'first', 'later', 'recovered'] as const;

/**
 * - `quick`: a first attempt at an endpoint that is known to answer quickly
 * - `first`: any other first attempt at an endpoint that does not fail and is not slow
 * - `later`: retries, probes, what has been due for more than a minute, and whatever goes to endpoints that are slow or just failed
 * - `recovered`: what was asked for again, by the thousands perhaps
 */
export type DeliveryLane = (typeof deliveryLanes)[number];

/** A delivery that this sender alone may attempt until its lease ends. Ids are UUIDs. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly accountId: string;
  /** Fences every write of this attempt. */
  readonly claim: number;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** How many of the attempts before it the retry schedule does not count. */
  readonly uncounted: number;
  readonly lane: DeliveryLane;
  /** Its last sender let its lease end. */
  readonly isTakenOver: boolean;
  /** Its event was sent to its endpoint before, and somebody asked for it again. */
  readonly isRedelivery: boolean;
  readonly eventId: string;
  readonly eventType: string;
  readonly occurredAt: Date;
  /** The text whose UTF-8 bytes are sent. */
  readonly body: string;
  readonly endpointId: string;
  readonly url: string;
  /** A JSON object of header values by name, sealed; `null` without headers. */
  readonly sealedHeaders: string | null;
  /** Every secret that signs now, newest first. */
  readonly sealedSecrets: readonly string[];
  /** The endpoint's own delays after the first attempt, in seconds; `null` for the default ones. */
  readonly retrySchedule: readonly number[] | null;
  /** The endpoint is failing and this attempt shows whether it still is. */
  readonly isProbe: boolean;
  /** The endpoint was healthy, and its last attempt had not failed, when this was claimed. */
  readonly isEndpointWell: boolean;
}

/** A row of the claim; its own columns are `null` when nothing was claimed. */
export interface ClaimedRow {
  readonly resume_after: string | null;
  readonly is_held_back: boolean;
  readonly chosen: number;
  readonly id: string | null;
  readonly account_id: string;
  readonly claim: number;
  readonly attempt: number;
  readonly uncounted: number;
  readonly lane: number;
  readonly is_taken_over: boolean;
  readonly is_redelivery: boolean;
  readonly event_id: string;
  readonly event_type: string;
  readonly occurred_at: Date;
  readonly body: string;
  readonly endpoint_id: string;
  readonly url: string;
  readonly sealed_headers: string | null;
  readonly sealed_secrets: readonly string[];
  readonly retry_schedule: readonly number[] | null;
  readonly is_probe: boolean;
  readonly is_well: boolean;
}

/** The delivery of a row, `null` when the row has none. */
export function claimedOf(row: ClaimedRow): ClaimedDelivery | null {
  if (row.id === null) return null;
  const lane = deliveryLanes[row.lane];
  if (lane === undefined) throw new Error(`the lane ${row.lane} is not known`);
  return {
    id: row.id,
    accountId: row.account_id,
    claim: row.claim,
    attempt: row.attempt,
    uncounted: row.uncounted,
    lane,
    isTakenOver: row.is_taken_over,
    isRedelivery: row.is_redelivery,
    eventId: row.event_id,
    eventType: row.event_type,
    occurredAt: row.occurred_at,
    body: row.body,
    endpointId: row.endpoint_id,
    url: row.url,
    sealedHeaders: row.sealed_headers,
    sealedSecrets: row.sealed_secrets,
    retrySchedule: row.retry_schedule,
    isProbe: row.is_probe,
    isEndpointWell: row.is_well,
  };
}
