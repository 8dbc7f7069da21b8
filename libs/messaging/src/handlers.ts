import type { MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { InboundMessage } from './inbound-message.js';

/**
 * Checks at start what would otherwise be lost in silence: every handler is an event handler for a topic that exists in the table, one
 * handler a topic, at least one in all.
 *
 * @returns the topics to consume
 * @throws with a sentence that names the handler's pattern
 */
export function handledTopics(handlers: ReadonlyMap<string, MessageHandler>, known: readonly string[]): string[] {
  if (handlers.size === 0) throw new Error('no handler is bound to this transport');
  for (const [pattern, handler] of handlers) {
    if (!known.includes(pattern))
      throw new Error(`handler for unknown topic "${pattern}"; known are ${known.join(', ')}`);
    if (handler.isEventHandler !== true) throw new Error(`handler for "${pattern}" expects a reply; use @EventPattern`);
    if (handler.next) throw new Error(`more than one handler for "${pattern}"`);
  }
  return [...handlers.keys()];
}

/** Calls a Nest handler and waits for its end. @throws what the handler throws, as Nest's exception filters leave it */
export async function callHandler(
  handler: MessageHandler,
  messages: readonly InboundMessage[],
  context: unknown,
): Promise<void> {
  const result: unknown = await handler(messages, context);
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
}
