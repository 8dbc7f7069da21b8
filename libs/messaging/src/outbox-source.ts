import type { OutboxRecord } from './outbox-record.js';

/** What the relay needs from the outbox; the app binds it to the database. */
export interface OutboxSource {
  /**
   * Takes up to `limit` unpublished records, oldest first, for 10 s of the database clock, in one short transaction that skips
   * locked rows. A record whose claim lapsed is taken again.
   */
  claim(limit: number): Promise<readonly OutboxRecord[]>;
  /** Records that these rows were published; a repetition is harmless. */
  markPublished(ids: readonly string[]): Promise<void>;
  /** Takes a record that Kafka refuses for good out of the queue. */
  markDead(id: string, reason: string): Promise<void>;
}
