import type { Announcer } from './announcer.js';
import type { OutboxRecord } from './outbox-record.js';

/** Takes records over at once and without throwing. */
export type LocalSubscriber = (records: readonly OutboxRecord[]) => void;

/** Announces to the transports of the same process; without a subscriber nothing happens, and a poll finds the work. */
export class LocalBus implements Announcer {
  readonly #subscribers = new Set<LocalSubscriber>();

  /** Hands the records to every subscriber, which only queues them. */
  announce(records: readonly OutboxRecord[]): void {
    for (const subscriber of this.#subscribers) subscriber(records);
  }

  /** @returns a function that ends the subscription */
  subscribe(subscriber: LocalSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }
}
