import type { EndpointHealth } from '../delivery/endpoint-health.js';
import { endpointEvent, type EndpointTransition } from './endpoint-event.js';
import type { RenderedEvent } from './envelope.js';

/** Which change of an endpoint's state is told of, when it was and as which event (a UUID). */
export type ToldTransition = Pick<EndpointTransition, 'sequence' | 'eventId' | 'occurredAt'>;

const typeOf = { healthy: 'endpoint.recovered', failing: 'endpoint.failing', disabled: 'endpoint.disabled' } as const;

/** The event that tells of the state that an endpoint has come to. */
export function transitionEvent(
  endpoint: { readonly id: string; readonly url: string },
  { state, firstFailureAt, disabledReason }: Pick<EndpointHealth, 'state' | 'firstFailureAt' | 'disabledReason'>,
  told: ToldTransition,
): RenderedEvent {
  return endpointEvent({
    ...told,
    type: typeOf[state],
    endpointId: endpoint.id,
    url: endpoint.url,
    state,
    reason: disabledReason,
    failingSince: state === 'healthy' ? null : firstFailureAt,
  });
}
