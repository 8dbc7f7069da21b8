import { JobReader, PruneStore } from '#libs/persistence';
import { JobRecords } from '../worker/job-records.js';

const key = 'order-42';

let records: JobRecords;
let accountId: string;

beforeAll(async () => {
  records = await JobRecords.open();
}, 60_000);

afterAll(() => records.close());

beforeEach(async () => {
  await records.clear();
  accountId = await records.account();
});

async function found(): Promise<string[]> {
  const jobs = await new JobReader(records.database).list(accountId, { idempotencyKey: key, limit: 100 });
  return jobs.map(({ id }) => id).sort();
}

async function endNext(): Promise<void> {
  const claimed = await records.claimOne();
  await records.settleJob().settle(claimed, await records.completion(claimed));
}

/** Lets the keys of all that has ended expire, and deletes them; gives how many there were. */
async function loseKeys(): Promise<number> {
  await records.run('UPDATE idempotency_keys SET expires_at = now() WHERE expires_at IS NOT NULL');
  return new PruneStore(records.database).keys(100);
}

describe('the jobs of a key', () => {
  it('are found while they wait, run and are over, and when the key is gone or stands for another (contract 2.6)', async () => {
    const first = await records.queue({ accountId, key });
    expect(await found()).toEqual([first]);
    const claimed = await records.claimOne();
    expect(await found()).toEqual([first]);
    await records.settleJob().settle(claimed, await records.completion(claimed));
    expect(await found()).toEqual([first]);
    expect(await loseKeys()).toBe(1);
    expect(await found()).toEqual([first]);
    const second = await records.queue({ accountId, key });
    expect(await found()).toEqual([first, second].sort());
  });

  it('are all those of a batch, whichever of them have ended', async () => {
    const { batchId, jobIds } = await records.batch(accountId, 3);
    await records.run('UPDATE jobs SET idempotency_key = $2 WHERE batch_id = $1', [batchId, key]);
    await records.run('UPDATE idempotency_keys SET key = $2 WHERE batch_id = $1', [batchId, key]);
    const all = jobIds.sort();
    for (let ended = 0; ended < all.length; ended += 1) {
      expect(await found()).toEqual(all);
      await endNext();
    }
    expect(await loseKeys()).toBe(1);
    expect(await found()).toEqual(all);
  });
});
