import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobView } from '#libs/domain';
import { type FailpointName, failpointNames } from '#libs/failpoints';
import pg from 'pg';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { kafkaAvailability, type KafkaBroker, startKafkaBroker } from '../support/kafka-broker.js';
import { hangingPdf } from '../support/pdf-samples.js';
import { childrenOf, isRunning } from '../support/processes.js';
import { waitingForLocks } from '../support/waiting-for-locks.js';
import { Killable } from './killable.js';

/** The process that reaches each point, but for the relay's, which needs Kafka and has a suite of its own. */
const processes = {
  'admission.before-statement': 'api-1',
  'admission.after-commit': 'api-1',
  'job.after-claim': 'worker-1',
  'job.at-work': 'worker-1',
  'job.after-output-stored': 'worker-1',
  'job.after-settle': 'worker-1',
  'delivery.after-claim': 'dispatcher-1',
  'delivery.after-answer': 'dispatcher-1',
} as const satisfies Partial<Record<FailpointName, string>>;

/** What the kill leaves to be seen, besides the promise. */
const traces: Readonly<Record<keyof typeof processes, { attempt: number; requests: number; isReplayed: boolean }>> = {
  'admission.before-statement': { attempt: 1, requests: 1, isReplayed: false },
  'admission.after-commit': { attempt: 1, requests: 1, isReplayed: true },
  'job.after-claim': { attempt: 2, requests: 1, isReplayed: true },
  'job.at-work': { attempt: 2, requests: 1, isReplayed: true },
  'job.after-output-stored': { attempt: 2, requests: 1, isReplayed: true },
  'job.after-settle': { attempt: 1, requests: 1, isReplayed: true },
  'delivery.after-claim': { attempt: 1, requests: 1, isReplayed: true },
  'delivery.after-answer': { attempt: 1, requests: 2, isReplayed: true },
};

const hasKafka = kafkaAvailability().available;
const timeoutMs = 60_000;

describe(`a process that is killed (${hasKafka ? 'with Kafka' : 'without Kafka'})`, () => {
  let broker: KafkaBroker | undefined;
  let killable: Killable;

  beforeAll(async () => {
    broker = hasKafka ? await startKafkaBroker() : undefined;
    killable = await Killable.start({ apis: 2, ...(broker === undefined ? {} : { brokers: broker.brokers }) });
  }, 120_000);

  afterAll(async () => {
    await killable?.stop();
    await broker?.stop();
  }, timeoutMs);

  it('is killed at every point there is', () => {
    expect([...Object.keys(processes), 'relay.after-publish'].sort()).toEqual([...failpointNames].sort());
  });

  it.each(Object.entries(processes) as [keyof typeof processes, string][])(
    'at %s (%s) leaves one job, one output, one usage record and one event, whoever asks again (contract 1.4, 2.15)',
    async (point, name) => {
      const { cluster } = killable;
      const party = await killable.newParty();
      await cluster.startAgain(name, `${point}:kill`);
      const first = killable.submit(party, point);
      await killable.died(name, point);
      const answer = await first;
      await cluster.startAgain(name);

      const retried = await killable.retry(() => killable.submit(party, point));
      const { job, requests } = await killable.keepsPromise(party, point, retried);
      if (answer !== null) expect(answer.json<JobView>().id).toBe(job.id);
      expect({
        attempt: job.attempt,
        requests: requests.length,
        isReplayed: retried.headers.get('idempotent-replayed') === 'true',
      }).toEqual(traces[point]);
    },
    timeoutMs,
  );

  describe('in the middle of its admission statement', () => {
    /** Holds what the statement needs for its last check, when it has already taken the key. */
    async function heldAccount(apiKey: string): Promise<pg.Client> {
      const holder = new pg.Client({ connectionString: killable.cluster.databaseUrl });
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query(
        `SELECT FROM accounts WHERE id = (SELECT account_id FROM api_keys WHERE secret_sha256 = sha256($1)) FOR UPDATE`,
        [Buffer.from(apiKey)],
      );
      return holder;
    }

    function waitingStatements(): Promise<number> {
      return waitingForLocks((sql, values) => killable.cluster.query(sql, values), 'pdfonce admission');
    }

    async function statementIsEnded(): Promise<void> {
      await eventually(async () => (await waitingStatements()) === 0, { withinMs: 1_500 });
    }

    it.each([
      ['that goes on', async (): Promise<void> => undefined],
      ['that Postgres ends when it sees that nobody waits for it', statementIsEnded],
    ] as const)(
      '%s leaves a key with which a retry at another process succeeds within 3 s (contract 1.4, 1.8)',
      async (_, beforeRelease) => {
        const { cluster } = killable;
        const party = await killable.newParty();
        const key = 'mid-statement';
        const submit = await killable.submission(party);
        const holder = await heldAccount(party.client.apiKey);
        try {
          const first = submit(party.client, key);
          await eventually(async () => (await waitingStatements()) > 0, { withinMs: 1_500 });
          cluster.process('api-1').kill('SIGKILL');
          expect(await first).toBeNull();
          await beforeRelease();
        } finally {
          await holder.query('ROLLBACK');
          await holder.end();
        }
        const releasedAt = performance.now();
        const elsewhere = new ApiClient(cluster.apiUrls[1] ?? '', party.client.apiKey);
        const retried = await killable.retry(() => submit(elsewhere, key));
        expect(performance.now() - releasedAt).toBeLessThan(3_000);
        await cluster.startAgain('api-1');
        await killable.keepsPromise(party, key, retried);
      },
      timeoutMs,
    );
  });

  it(
    'while its child hangs takes the child with it within 2 s, and the next start removes what it left on disk',
    async () => {
      const { cluster } = killable;
      const { client } = await killable.newParty();
      const worker = cluster.process('worker-1');
      const { id } = (await client.submitFiles([{ name: 'hang.pdf', bytes: hangingPdf() }])).json<JobView>();
      await eventually(async () => (await client.job(id)).state === 'processing', { withinMs: 10_000 });
      await eventually(async () => (await taskDirectories()).length > 0, { describe: 'a directory of the task' });
      const children = await childrenOf(worker.pid);
      expect(children).not.toEqual([]);
      const left = await temporaryDirectories();
      worker.kill('SIGKILL');
      await worker.exited;
      await eventually(async () => !(await Promise.all(children.map(isRunning))).includes(true), {
        withinMs: 2_000,
        describe: 'the end of the children',
      });
      expect(await temporaryDirectories()).toEqual(left);

      await cluster.startAgain('worker-1');
      const still = await temporaryDirectories();
      expect(still.filter((name) => left.includes(name))).toEqual([]);
      const job = await client.endedJob(id, 30_000);
      expect(job).toMatchObject({ state: 'failed', attempt: 2, error: { code: 'time_limit' } });
      await eventually(async () => (await taskDirectories()).length === 0, { describe: 'no directory of a task' });
    },
    timeoutMs,
  );

  /** The directories of worker processes. */
  async function temporaryDirectories(): Promise<string[]> {
    const names = await readdir(join(killable.cluster.directory, 'tmp'));
    return names.filter((name) => name.startsWith('pdfonce-')).sort();
  }

  async function taskDirectories(): Promise<string[]> {
    const names = await readdir(join(killable.cluster.directory, 'tmp'), { recursive: true });
    return names.filter((name) => /\/task-[^/]+$/.test(name));
  }
});
