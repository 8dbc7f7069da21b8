import type { Connection } from './connection.js';

const dayMs = 86_400_000;
/** For so long the service keeps an event, and redelivers or recovers it when it is asked to. */
const shortestMs = 30 * dayMs;
const batch = 1_000;

const purge = `
DELETE FROM pdfonce_inbox WHERE (consumer, event_id) IN (
  SELECT consumer, event_id FROM pdfonce_inbox
  WHERE received_at < now() - $1 * interval '1 millisecond'
  ORDER BY received_at LIMIT ${batch} FOR UPDATE SKIP LOCKED
)
RETURNING event_id`;

/**
 * Forgets events that were handled so long ago that they do not come again, 30 days when left out, a thousand at a time. Where the service
 * keeps events for longer (`EVENT_TTL`), give that time.
 *
 * @returns how many were forgotten
 * @throws RangeError below 30 days: the event could come again, and would have its effect a second time
 */
export async function purgeInbox(connection: Connection, olderThanMs: number = shortestMs): Promise<number> {
  if (!(olderThanMs >= shortestMs))
    throw new RangeError('an event may be asked for again for 30 days: keep its id at least that long');
  let purged = 0;
  for (;;) {
    const { rows } = await connection.query(purge, [olderThanMs]);
    purged += rows.length;
    if (rows.length < batch) return purged;
  }
}
