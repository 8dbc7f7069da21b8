import { envelope, type RenderedEvent, typeId } from '#libs/domain';
import type { DisabledEndpoint } from '#libs/persistence';

const longestUrl = 2_000;

/** The event that tells an account that one of its endpoints gets nothing more, and why. */
export function endpointDisabledEvent(endpointId: string, endpoint: DisabledEndpoint, reason: 'gone'): RenderedEvent {
  const type = 'endpoint.disabled';
  const data = {
    id: typeId('ep', endpointId),
    object: 'webhook_endpoint',
    url: withoutCredentials(endpoint.url).slice(0, longestUrl),
    state: 'disabled',
    reason,
    sequence: endpoint.sequence,
  };
  const { eventId: id, disabledAt: occurredAt } = endpoint;
  return { id, type, occurredAt, body: envelope(id, type, occurredAt, data) };
}

function withoutCredentials(text: string): string {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}
