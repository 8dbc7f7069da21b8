import type { OutboxRecord } from './outbox-record.js';

/** Told by whoever just committed outbox rows, so that nobody waits for a poll. */
export interface Announcer {
  /** Never waits and never throws: what is missed here is found by a poll. */
  announce(records: readonly OutboxRecord[]): void;
}
