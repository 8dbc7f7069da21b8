import type { EndpointState } from '../delivery/delivery.js';
import { typeId } from '../id/type-id.js';
import { withoutCredentials } from '../webhook/without-credentials.js';
import { envelope, type RenderedEvent } from './envelope.js';

/** Why an endpoint is disabled: it answered 410, it failed for too long, or its account asked for it. */
export const disabledReasons = ['gone', 'failing', 'requested'] as const;

/** One of {@link disabledReasons}. */
export type DisabledReason = (typeof disabledReasons)[number];

/** A change of an endpoint's state; ids are UUIDs. */
export interface EndpointTransition {
  readonly type: 'endpoint.failing' | 'endpoint.disabled' | 'endpoint.recovered';
  readonly endpointId: string;
  readonly url: string;
  /** The state that it has now. */
  readonly state: EndpointState;
  /** Only of `endpoint.disabled`. */
  readonly reason: DisabledReason | null;
  /** Grows with every change of the endpoint's state. */
  readonly sequence: number;
  /** Since when every attempt failed, `null` when none does. */
  readonly failingSince: Date | null;
  readonly eventId: string;
  readonly occurredAt: Date;
}

const longestUrl = 2_000;

/** The event that tells an account that one of its endpoints changed its state. Its URL is shown without user name and password. */
export function endpointEvent(transition: EndpointTransition): RenderedEvent {
  const { type, endpointId, state, reason, sequence, eventId: id, occurredAt } = transition;
  const data = {
    id: typeId('ep', endpointId),
    object: 'webhook_endpoint',
    url: withoutCredentials(transition.url).slice(0, longestUrl),
    state,
    reason,
    failing_since: transition.failingSince?.toISOString() ?? null,
    sequence,
  };
  return { id, type, occurredAt, body: envelope(id, type, occurredAt, data) };
}
