import { typeId } from '../id/type-id.js';
import { envelope, type RenderedEvent } from './envelope.js';
import type { EventType } from './event.js';

const type: EventType = 'webhook.ping';

/** The event that is sent to one endpoint because its account asked for it; ids are UUIDs. */
export function pingEvent(eventId: string, endpointId: string, occurredAt: Date): RenderedEvent {
  const data = { id: typeId('ep', endpointId), object: 'webhook_endpoint' };
  return { id: eventId, type, occurredAt, body: envelope(eventId, type, occurredAt, data) };
}
