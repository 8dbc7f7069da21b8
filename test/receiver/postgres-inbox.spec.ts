import { claimEvent, inboxTable, PostgresInbox, purgeInbox } from '#libs/receiver';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { waitingForLocks } from '../support/waiting-for-locks.js';

type Effect = (transaction: pg.PoolClient) => Promise<void>;

describe('the inbox in Postgres', () => {
  let postgres: TestPostgres;
  let url: string;
  let pool: pg.Pool;
  let inbox: PostgresInbox<pg.PoolClient>;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    url = await postgres.createDatabase();
    pool = new pg.Pool({ connectionString: url });
    pool.on('error', () => undefined);
    await pool.query(inboxTable);
    await pool.query('CREATE TABLE effects (event_id text)');
  });

  afterAll(async () => {
    await pool?.end();
    await postgres?.stop();
  });

  beforeEach(async () => {
    await pool.query('TRUNCATE pdfonce_inbox, effects');
    inbox = new PostgresInbox<pg.PoolClient>(pool);
  });

  const write =
    (id: string): Effect =>
    async (transaction) =>
      void (await transaction.query('INSERT INTO effects VALUES ($1)', [id]));

  async function count(table: 'effects' | 'pdfonce_inbox'): Promise<number> {
    const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::int FROM ${table}`);
    return rows[0]?.count ?? 0;
  }

  async function kept(): Promise<{ effects: number; ids: number }> {
    return { effects: await count('effects'), ids: await count('pdfonce_inbox') };
  }

  /** Waits until a statement of the database waits for another transaction. */
  const oneWaits = () =>
    eventually(
      async () => (await waitingForLocks(async (sql, values) => (await pool.query<object>(sql, values)).rows)) === 1,
      {
        describe: 'a statement that waits',
      },
    );

  /** An effect that goes on when it is told to. */
  function held(id: string, end: 'well' | 'badly' = 'well') {
    const [begun, begin] = signal();
    const [released, release] = signal();
    const effect: Effect = async (transaction) => {
      await write(id)(transaction);
      begin();
      await released;
      if (end === 'badly') throw new Error('told to fail');
    };
    return { effect, begun, release };
  }

  it('makes its table as often as it is asked to', async () => {
    await pool.query(inboxTable);
  });

  it('lets an event have its effect once, and leaves its connections as they were', async () => {
    const one = new pg.Pool({ connectionString: url, max: 1, options: '-c lock_timeout=7s' });
    try {
      const own = new PostgresInbox<pg.PoolClient>(one);
      const seen: unknown[] = [];
      const effect: Effect = async (transaction) => {
        seen.push((await transaction.query<{ lock_timeout: string }>('SHOW lock_timeout')).rows[0]);
        await write('evt_1')(transaction);
      };
      expect(await own.handleOnce('evt_1', effect)).toBe('handled');
      expect(await own.handleOnce('evt_1', effect)).toBe('seen_before');
      expect((await one.query('SHOW lock_timeout')).rows).toEqual(seen);
      expect(seen).toEqual([{ lock_timeout: '7s' }]);
    } finally {
      await one.end();
    }
    expect(await kept()).toEqual({ effects: 1, ids: 1 });
  });

  it('makes the second of two deliveries at once wait, and lets it do nothing when the first ends well', async () => {
    const { effect, begun, release } = held('evt_1');
    const first = inbox.handleOnce('evt_1', effect);
    await begun;
    const second = inbox.handleOnce('evt_1', write('evt_1'));
    await oneWaits();
    release();
    expect(await Promise.all([first, second])).toEqual(['handled', 'seen_before']);
    expect(await kept()).toEqual({ effects: 1, ids: 1 });
  });

  it('lets the second of two deliveries at once have the effect when the first fails', async () => {
    const { effect, begun, release } = held('evt_1', 'badly');
    const first = inbox.handleOnce('evt_1', effect);
    await begun;
    const second = inbox.handleOnce('evt_1', write('evt_1'));
    await oneWaits();
    release();
    await expect(first).rejects.toThrow('told to fail');
    expect(await second).toBe('handled');
    expect(await kept()).toEqual({ effects: 1, ids: 1 });
  });

  it('tells the second to come again when the first takes longer than the wait', async () => {
    const impatient = new PostgresInbox<pg.PoolClient>(pool, { waitMs: 50 });
    const { effect, begun, release } = held('evt_1');
    const first = inbox.handleOnce('evt_1', effect);
    await begun;
    expect(await impatient.handleOnce('evt_1', write('evt_1'))).toBe('busy');
    release();
    expect(await first).toBe('handled');
    expect(await impatient.handleOnce('evt_1', write('evt_1'))).toBe('seen_before');
    expect(await kept()).toEqual({ effects: 1, ids: 1 });
  });

  it('tells the second to come again where transactions are serializable and the first ended well', async () => {
    const strict = new pg.Pool({ connectionString: url, options: '-c default_transaction_isolation=serializable' });
    try {
      const own = new PostgresInbox<pg.PoolClient>(strict);
      const { effect, begun, release } = held('evt_1');
      const first = own.handleOnce('evt_1', effect);
      await begun;
      const second = own.handleOnce('evt_1', write('evt_1'));
      await oneWaits();
      release();
      expect(await Promise.all([first, second])).toEqual(['handled', 'busy']);
      expect(await own.handleOnce('evt_1', write('evt_1'))).toBe('seen_before');
    } finally {
      await strict.end();
    }
    expect(await kept()).toEqual({ effects: 1, ids: 1 });
  });

  it.each([0, -1, 0.5, Number.NaN])('refuses a wait of %d ms, which Postgres would not take for one', (waitMs) => {
    expect(() => new PostgresInbox(pool, { waitMs })).toThrow(RangeError);
  });

  it('has one effect of 200 deliveries of 20 events at once', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `evt_${index % 20}`);
    const outcomes = await Promise.all(ids.map((id) => inbox.handleOnce(id, write(id))));
    expect(outcomes.filter((outcome) => outcome === 'handled')).toHaveLength(20);
    expect(await kept()).toEqual({ effects: 20, ids: 20 });
  });

  it('keeps nothing of an effect that throws', async () => {
    const failing: Effect = async (transaction) => {
      await write('evt_1')(transaction);
      throw new Error('the shop is closed');
    };
    await expect(inbox.handleOnce('evt_1', failing)).rejects.toThrow('the shop is closed');
    expect(await kept()).toEqual({ effects: 0, ids: 0 });
    expect(await inbox.handleOnce('evt_1', write('evt_1'))).toBe('handled');
  });

  it('says that it failed when the effect hides a failed statement: Postgres undoes such a transaction', async () => {
    const hiding: Effect = async (transaction) => {
      await write('evt_1')(transaction);
      await transaction.query('SELECT 1/0').catch(() => undefined);
    };
    await expect(inbox.handleOnce('evt_1', hiding)).rejects.toThrow(/undid/);
    expect(await kept()).toEqual({ effects: 0, ids: 0 });
  });

  it('keeps nothing of an effect whose connection is cut, lives on and lends no broken connection again', async () => {
    const cut: Effect = async (transaction) => {
      await write('evt_1')(transaction);
      const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await postgres.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await transaction.query('SELECT pg_sleep(5)');
    };
    await expect(inbox.handleOnce('evt_1', cut)).rejects.toThrow();
    expect(await kept()).toEqual({ effects: 0, ids: 0 });
    expect(await inbox.handleOnce('evt_1', write('evt_1'))).toBe('handled');
  });

  it('knows consumers apart that share the table', async () => {
    const mails = new PostgresInbox<pg.PoolClient>(pool, { consumer: 'mails' });
    expect(await inbox.handleOnce('evt_1', write('evt_1'))).toBe('handled');
    expect(await mails.handleOnce('evt_1', write('evt_1'))).toBe('handled');
    expect(await mails.handleOnce('evt_1', write('evt_1'))).toBe('seen_before');
    expect(await kept()).toEqual({ effects: 2, ids: 2 });
  });

  it('claims an event in a transaction that the program opened itself, by a client of a pool or one of its own', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query('BEGIN');
      expect(await claimEvent(client, 'evt_1')).toBe(true);
      await client.query('ROLLBACK');
      expect(await claimEvent(client, 'evt_1')).toBe(true);
      expect(await claimEvent(pool, 'evt_1')).toBe(false);
      expect(await claimEvent(pool, 'evt_1', 'mails')).toBe(true);
    } finally {
      await client.end();
    }
  });

  it('forgets what is older than 30 days, and nothing else', async () => {
    const insert = `INSERT INTO pdfonce_inbox (consumer, event_id, received_at)
                    SELECT 'default', 'evt_' || $1::text || n, now() - $1::interval FROM generate_series(1, $2::int) AS n`;
    await pool.query(insert, ['31 days', 2_500]);
    await pool.query(insert, ['29 days', 3]);
    expect(await purgeInbox(pool)).toBe(2_500);
    expect(await purgeInbox(pool)).toBe(0);
    expect(await kept()).toEqual({ effects: 0, ids: 3 });
  });

  it.each([30 * 86_400_000 - 1, 30, 0, -1, Number.NaN])(
    'refuses to forget what is %d ms old: it may come again',
    async (olderThanMs) => {
      await expect(purgeInbox(pool, olderThanMs)).rejects.toThrow(RangeError);
    },
  );
});

/** A promise, and what resolves it. */
function signal(): [Promise<void>, () => void] {
  let resolve = (): void => undefined;
  return [new Promise<void>((done) => (resolve = done)), () => resolve()];
}
