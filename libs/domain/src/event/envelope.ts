import { typeId } from '../id/type-id.js';

/** An event as it is stored and sent: `body` is the exact text of every delivery. */
export interface RenderedEvent {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: Date;
  readonly body: string;
}

/** The JSON text of an event (Standard Webhooks 1.0.0, payload structure, with the id in the body too). */
export function envelope(eventId: string, type: string, occurredAt: Date, data: unknown): string {
  return JSON.stringify({ id: typeId('evt', eventId), type, timestamp: occurredAt.toISOString(), data });
}
