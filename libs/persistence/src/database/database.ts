import pg from 'pg';
import { poolConfig, type DatabaseOptions } from './pool-config.js';
import { isRolledBack } from './postgres-error.js';
import type { Statement } from './statement.js';

/** Where a statement may be sent: the database itself, or one transaction of it. */
export interface Queryable {
  /** Runs one statement and gives its rows. */
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** One open transaction: the first argument of every write that must not stand alone. */
export interface Tx extends Queryable {
  readonly kind: 'transaction';
}

const mostRepeats = 5;

/**
 * A pool of connections to Postgres. No connection is made before the first statement, so every process starts without Postgres; a lost
 * connection rejects the statement that used it and ends nothing else.
 */
export class Database implements Queryable {
  private readonly pool: pg.Pool;

  constructor(options: DatabaseOptions) {
    this.pool = new pg.Pool(poolConfig(options));
    this.pool.on('error', (error) => options.onConnectionLost?.(error));
    // One that dies in the moment in which it is handed out tells nobody else; unheard, it would end the process.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async query<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    const result = await this.pool.query<Row>({ ...statement, values: [...values] });
    return result.rows;
  }

  /**
   * Runs work in one READ COMMITTED transaction. It is repeated after errors that prove a rollback (40001, 40P01), so it must have no
   * effect outside Postgres.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let repeat = 0; ; repeat += 1) {
      try {
        return await this.once(work);
      } catch (error) {
        if (repeat >= mostRepeats || !isRolledBack(error)) throw error;
      }
    }
  }

  /** Closes the pool after its running statements. */
  async close(): Promise<void> {
    await this.pool.end();
  }

  private async once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    // A connection that dies between two statements tells nobody else; unheard, it would end the process.
    const onLost = (error: Error): void => {
      broken = error;
    };
    client.on('error', onLost);
    try {
      await client.query('BEGIN');
      const result = await work(transactionOf(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((rollbackError: Error) => {
        broken = rollbackError;
      });
      throw error;
    } finally {
      client.off('error', onLost);
      client.release(broken);
    }
  }
}

function transactionOf(client: pg.PoolClient): Tx {
  return {
    kind: 'transaction',
    async query<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
      const result = await client.query<Row>({ ...statement, values: [...values] });
      return result.rows;
    },
  };
}
