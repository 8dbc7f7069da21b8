import { AccountEraser, DeliveryQueue } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { WebhookRecords } from '../dispatcher/webhook-records.js';
import { eventually } from '../support/eventually.js';
import { JobRecords, keyring } from '../worker/job-records.js';

let records: JobRecords;
let webhooks: WebhookRecords;
let eraser: AccountEraser;

beforeAll(async () => {
  records = await JobRecords.open();
  webhooks = new WebhookRecords(records.database, keyring);
  eraser = new AccountEraser(records.database);
}, 60_000);

afterAll(() => records.close(), 60_000);

beforeEach(() => records.clear());

/** An account with something in every table. */
async function busyAccount(): Promise<string> {
  const accountId = await records.account();
  await records.run(
    `INSERT INTO api_keys (id, account_id, name, secret_sha256, scopes) VALUES ($1::uuid, $2, 'k', sha256($1::text::bytea), '{admin}')`,
    [uuidv7(), accountId],
  );
  const endpoint = await webhooks.endpoint('https://example.com/hook', { accountId });
  const upload = await records.object(accountId, { ageMs: 1 });
  await records.run(
    `INSERT INTO files (id, account_id, object_id, name, media_type, size, sha256, created_at, expires_at)
     VALUES ($1, $2, $3, 'a.pdf', 'application/pdf', 7, decode(repeat('cd', 32), 'hex'), now(), now() + interval '1 day')`,
    [uuidv7(), accountId, upload],
  );
  const jobId = await records.queue({ accountId, key: 'order-42', inputs: [upload] });
  const [job] = await records.claim(1, [jobId]);
  if (job === undefined) throw new Error('nothing to claim');
  await records.settleJob().settle(job, await records.completion(job));
  await records.batch(accountId, 2);
  await records.queue({ accountId });
  await new DeliveryQueue(records.database).claim({ limit: 10, leaseMs: 30_000, endpointCap: 10 });
  await records.run(
    `INSERT INTO recoveries (id, account_id, endpoint_id, since, states, cursor_at, created_at)
     VALUES ($1, $2, $3, now(), '{skipped}', now(), now())`,
    [uuidv7(), accountId, endpoint.id],
  );
  return accountId;
}

async function endpointOf(accountId: string): Promise<string> {
  return (await webhooks.endpoint('https://example.com/hook', { accountId })).id;
}

/** How many rows an account has in each table that names accounts. */
async function rowsOf(accountId: string): Promise<Record<string, number>> {
  const tables = await records.run<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE column_name = 'account_id' AND table_schema = 'public' ORDER BY table_name`,
  );
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await records.run<{ count: number }>(`SELECT count(*) AS count FROM ${name} WHERE account_id = $1`, [
      accountId,
    ]);
    rows[name] = row?.count ?? 0;
  }
  return rows;
}

describe('an account that is erased', () => {
  it('has nothing left in any table but the objects that the collector is to delete, and another keeps everything', async () => {
    const [accountId, otherId] = [await busyAccount(), await busyAccount()];
    const [before, other] = [await rowsOf(accountId), await rowsOf(otherId)];
    expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([]);
    const erased = await eraser.erase(accountId);
    expect(erased).toMatchObject({ jobs: 4, batches: 1, files: 1, events: 1, recoveries: 1, 'webhook endpoints': 1 });
    const { objects, ...rest } = await rowsOf(accountId);
    expect(objects).toBe(2);
    expect(new Set(Object.values(rest))).toEqual(new Set([0]));
    expect(await rowsOf(otherId)).toEqual(other);
    expect(await records.count('outbox')).toBe(1);
    expect([await eraser.find(accountId), await eraser.find(otherId)]).toEqual([null, otherId]);
    const referring = await records.run(
      `SELECT FROM objects WHERE account_id = $1 AND (
         EXISTS (SELECT FROM files WHERE object_id = objects.id) OR EXISTS (SELECT FROM job_inputs WHERE object_id = objects.id)
         OR EXISTS (SELECT FROM job_outputs WHERE object_id = objects.id))`,
      [accountId],
    );
    expect(referring).toEqual([]);
  });

  it('gets nothing from work that was under way', async () => {
    const accountId = await records.account();
    await records.queue({ accountId });
    const job = await records.claimOne();
    await eraser.erase(accountId);
    await records.settleJob().settle(job, await records.completion({ ...job, accountId }));
    const { objects, ...rest } = await rowsOf(accountId);
    expect(objects).toBe(1);
    expect(new Set(Object.values(rest))).toEqual(new Set([0]));
  });

  it('has its endpoints locked in the order of their ids, as settlements lock them', async () => {
    const accountId = await records.account();
    const [first, second, third] = [
      await endpointOf(accountId),
      await endpointOf(accountId),
      await endpointOf(accountId),
    ];
    await records.run('UPDATE webhook_endpoints SET description = $2 WHERE id = $1', [
      first,
      'the last row of the table',
    ]);
    const free = () =>
      records.run<{ id: string }>(
        'SELECT id FROM webhook_endpoints WHERE account_id = $1 ORDER BY id FOR UPDATE SKIP LOCKED',
        [accountId],
      );
    let erasing: Promise<unknown> = Promise.resolve();
    await records.database.transaction(async (tx) => {
      await tx.query({ name: '', text: 'SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE' }, [second]);
      erasing = eraser.erase(accountId);
      await eventually(async () => (await free()).every(({ id }) => id !== first), { withinMs: 5_000 });
      expect(await free()).toEqual([{ id: third }]);
    });
    await erasing;
    expect(await eraser.find(accountId)).toBeNull();
  });

  it('is erased in batches, and by a second erasure when the first was cut off', async () => {
    const accountId = await records.account();
    for (let n = 0; n < 3; n += 1) await webhooks.endpoint('https://example.com/hook', { accountId });
    await records.run(
      `INSERT INTO events (id, account_id, type, body, occurred_at)
       SELECT new_uuid_v7(), $1, 'job.completed', '{}', now() FROM generate_series(1, 950)`,
      [accountId],
    );
    await records.run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut off'; END $$;`);
    await records.run('CREATE TRIGGER refuse BEFORE DELETE ON webhook_endpoints EXECUTE FUNCTION refuse()');
    await expect(eraser.erase(accountId)).rejects.toThrow('cut off');
    await records.run('DROP FUNCTION refuse CASCADE');
    expect(await records.count('events')).toBe(0);
    expect(await eraser.find(accountId)).toBe(accountId);
    expect(await eraser.erase(accountId)).toMatchObject({ events: 0, 'webhook endpoints': 3 });
    expect(await eraser.find(accountId)).toBeNull();
  });
});
