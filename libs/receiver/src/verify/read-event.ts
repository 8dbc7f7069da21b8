import type { WebhookEvent } from '../wire/webhook-event.js';
import { VerificationError } from './verification-error.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The event in a body whose signature was found right. @throws VerificationError when there is none, or it is not that of the header */
export function readEvent(rawBody: Uint8Array, id: string): WebhookEvent {
  const event = parsed(rawBody);
  if (!isEvent(event))
    throw new VerificationError('body_not_event', 'the body is not an object with id, type, timestamp and data');
  if (event.id !== id) throw new VerificationError('body_id_differs', 'webhook-id is not the id in the body');
  return event;
}

function parsed(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(rawBody));
  } catch {
    throw new VerificationError('body_not_json', 'the body is not JSON');
  }
}

/** The shape that all types have in common; what `data` holds is the service's promise for each type. */
function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { id, type, timestamp, data } = value as Record<string, unknown>;
  const areTexts = [id, type, timestamp].every((member) => typeof member === 'string');
  return areTexts && typeof data === 'object' && data !== null;
}
