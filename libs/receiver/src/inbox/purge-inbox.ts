import type { Connection } from './connection.js';

const dayMs = 86_400_000;
/** The retries of one delivery last for 3.5 days with all that may be added at random. */
const shortestMs = 4 * dayMs;
const batch = 1_000;

const purge = `
DELETE FROM pdfonce_inbox WHERE (consumer, event_id) IN (
  SELECT consumer, event_id FROM pdfonce_inbox
  WHERE received_at < now() - $1 * interval '1 millisecond'
  ORDER BY received_at LIMIT ${batch} FOR UPDATE SKIP LOCKED
)
RETURNING event_id`;

/**
 * Forgets events that were handled so long ago that they do not come again, 30 days when left out, a thousand at a time.
 *
 * @returns how many were forgotten
 * @throws RangeError below four days: the retries of an event could still come
 */
export async function purgeInbox(connection: Connection, olderThanMs: number = 30 * dayMs): Promise<number> {
  if (!(olderThanMs >= shortestMs))
    throw new RangeError('events are retried for days: keep their ids four days at least');
  let purged = 0;
  for (;;) {
    const { rows } = await connection.query(purge, [olderThanMs]);
    purged += rows.length;
    if (rows.length < batch) return purged;
  }
}
