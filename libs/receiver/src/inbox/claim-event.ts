import type { Connection } from './connection.js';

const claim = `
INSERT INTO pdfonce_inbox (consumer, event_id) VALUES ($1, $2)
ON CONFLICT (consumer, event_id) DO NOTHING
RETURNING event_id`;

/** The consumer of an application that has only one. */
export const onlyConsumer = 'default';

/**
 * Writes the id of an event, and tells whether it is the first time. For programs that open their transaction themselves: call it first in the
 * transaction of the effect, and have no effect when it gives false. While another transaction holds the same id it waits for its end.
 *
 * @param consumer who handles the event, where several parts of one application do, each with effects of its own
 */
export async function claimEvent(
  transaction: Connection,
  eventId: string,
  consumer: string = onlyConsumer,
): Promise<boolean> {
  const { rows } = await transaction.query(claim, [consumer, eventId]);
  return rows.length === 1;
}
