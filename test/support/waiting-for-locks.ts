type Query = (sql: string, values: unknown[]) => Promise<readonly object[]>;

/**
 * How many sessions of a database wait for a lock.
 *
 * @param query runs a statement in that database
 * @param pool counts only sessions of this application name
 */
export async function waitingForLocks(query: Query, pool?: string): Promise<number> {
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = coalesce($1, application_name)`;
  return (await query(waiting, [pool])).length;
}
