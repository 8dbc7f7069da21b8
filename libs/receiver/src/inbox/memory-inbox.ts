import type { Inbox, InboxOutcome } from './inbox.js';

/**
 * An inbox for tests and trials. It knows what this process has handled and nothing else: it forgets with the process, other processes do not see
 * it, and it shares no transaction with the effect, so it keeps no promise when the process dies. It grows without end.
 */
export class MemoryInbox implements Inbox<undefined> {
  readonly #handled = new Map<string, Promise<void>>();

  async handleOnce(eventId: string, effect: (transaction: undefined) => Promise<void>): Promise<InboxOutcome> {
    for (let earlier = this.#handled.get(eventId); earlier !== undefined; earlier = this.#handled.get(eventId)) {
      if (await isFulfilled(earlier)) return 'seen_before';
    }
    const handling = effect(undefined);
    this.#handled.set(eventId, handling);
    try {
      await handling;
      return 'handled';
    } catch (error) {
      this.#handled.delete(eventId);
      throw error;
    }
  }
}

function isFulfilled(promise: Promise<void>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
