import { claimEvent, onlyConsumer } from './claim-event.js';
import type { Connection, ConnectionPool, LentConnection } from './connection.js';
import type { Inbox, InboxOutcome } from './inbox.js';

/** How an inbox in Postgres works. */
export interface PostgresInboxOptions {
  /** Who handles the events, where several parts of one application do and share the table. */
  readonly consumer?: string;
  /** The longest wait for another request with the same event, five seconds when left out. Below the time-out of the sender. */
  readonly waitMs?: number;
}

const defaultWaitMs = 5_000;
/** The wait was too long; or, where transactions are isolated further than by default, the other one ended well meanwhile. */
const comeAgainCodes = ['55P03', '40001'];

/** The setting before and after, in one statement. */
const changeLockTimeout = `
WITH before AS MATERIALIZED (SELECT current_setting('lock_timeout') AS lock_timeout)
SELECT before.lock_timeout, set_config('lock_timeout', $1, true) FROM before`;

/**
 * An inbox in the table of {@link inboxTable}, in the database where the effects are written: the id and the effect are one transaction, so a
 * crash between the two leaves neither.
 */
export class PostgresInbox<Lent extends LentConnection = LentConnection> implements Inbox<Lent> {
  private readonly consumer: string;
  private readonly waitMs: number;

  /**
   * @param pool such as pg's `Pool`: a transaction needs a connection to itself
   * @throws RangeError when `waitMs` is none: Postgres takes 0 for a wait without end
   */
  constructor(
    private readonly pool: ConnectionPool<Lent>,
    { consumer = onlyConsumer, waitMs = defaultWaitMs }: PostgresInboxOptions = {},
  ) {
    if (!(Number.isInteger(waitMs) && waitMs > 0))
      throw new RangeError('waitMs is a whole number of milliseconds above 0');
    this.consumer = consumer;
    this.waitMs = waitMs;
  }

  async handleOnce(eventId: string, effect: (transaction: Lent) => Promise<void>): Promise<InboxOutcome> {
    const connection = await this.pool.connect();
    // A connection that breaks while it is lent fails its query; without a listener it would end the process too.
    connection.on('error', ignore);
    let broken: Error | undefined;
    try {
      await connection.query('BEGIN', []);
      const outcome = await this.#claim(connection, eventId);
      if (outcome === 'handled') await effect(connection);
      if (outcome === 'busy') await connection.query('ROLLBACK', []);
      else await commit(connection);
      return outcome;
    } catch (error) {
      broken = await rollBack(connection);
      throw error;
    } finally {
      connection.off('error', ignore);
      connection.release(broken);
    }
  }

  async #claim(connection: Connection, eventId: string): Promise<InboxOutcome> {
    const { rows } = await connection.query(changeLockTimeout, [`${this.waitMs}ms`]);
    try {
      const isFirst = await claimEvent(connection, eventId, this.consumer);
      await connection.query(changeLockTimeout, [rows[0]?.['lock_timeout']]);
      return isFirst ? 'handled' : 'seen_before';
    } catch (error) {
      if (comeAgainCodes.includes(String((error as { code?: unknown }).code))) return 'busy';
      throw error;
    }
  }
}

/** Postgres answers a COMMIT after a failed statement with ROLLBACK, without an error. */
async function commit(connection: Connection): Promise<void> {
  const { command } = await connection.query('COMMIT', []);
  if (command !== 'COMMIT') throw new Error('a statement of the effect failed, so Postgres undid the transaction');
}

/** Undoes what was done, and gives the error when the connection is of no more use: closing it undoes it too. */
async function rollBack(connection: Connection): Promise<Error | undefined> {
  try {
    await connection.query('ROLLBACK', []);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function ignore(): void {
  return undefined;
}
