import pg from 'pg';
import type { JobView } from '#libs/domain';
import type { ApiAnswer } from '../support/api-client.js';
import { ApiClient } from '../support/api-client.js';
import { Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { LosingProxy } from '../support/losing-proxy.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { isUniqueViolation, postgresLog } from '../support/postgres-log.js';
import { Creations, rowsOfAll, type Send } from './creations.js';

/** Names of prepared statements, or the text, by which a request of each kind becomes true. */
const commits = {
  json: 'admit-jobs',
  multipart: 'admit-jobs',
  batch: 'admit-keyed-batch',
  file: 'COMMIT',
  endpoint: 'COMMIT',
} as const;

const admission = 'pdfonce admission';
const timeoutMs = 60_000;
const backWithinMs = 10_000;

describe('while Postgres is away', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, timeoutMs);
  let postgres: TestPostgres;
  let proxy: LosingProxy;
  let cluster: Cluster;
  let api: ApiClient;
  let creations: Creations;
  let accounts = 0;

  beforeAll(async () => {
    postgres = await startTestPostgres({ isOwn: true });
    proxy = await LosingProxy.open(postgres.url);
    const databaseBehind = (url: string): string => proxy.before(url);
    cluster = await Cluster.start({ postgres, databaseBehind, dispatchers: 0, env: { DATABASE_POOL: '4' } });
  }, 90_000);

  afterAll(async () => {
    await cluster?.stop();
    await proxy?.close();
    await postgres?.stop();
  }, 30_000);

  beforeEach(async () => {
    api = new ApiClient(cluster.apiUrls[0] ?? '', await cluster.createKey(`account-${(accounts += 1)}`));
    creations = await Creations.prepare(api);
  });

  async function sendAll(): Promise<ApiAnswer[]> {
    return Promise.all(Object.values(creations.all('k')).map((send) => send(api)));
  }

  function areUnavailable(answers: readonly ApiAnswer[]): void {
    expect(answers.map(outcome)).toEqual(answers.map(() => '503 unavailable'));
    for (const { headers } of answers) {
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('location')).toBeNull();
    }
  }

  /** Repeats a request until its key is decided. */
  async function persist(send: Send): Promise<ApiAnswer> {
    return eventually(
      async () => {
        const answer = await send(api);
        const isPassing = ['503 unavailable', '409 idempotency_key_in_use'].includes(outcome(answer));
        return isPassing ? undefined : answer;
      },
      { withinMs: backWithinMs, everyMs: 50, describe: 'a decision' },
    ) as Promise<ApiAnswer>;
  }

  /** Each request succeeds under the key under which it was refused, as the first one or not, and everything is there once. */
  async function succeedsOnce({ isReplay }: { readonly isReplay: boolean | 'perhaps' }): Promise<void> {
    for (const [name, send] of Object.entries(creations.all('k'))) {
      const answer = await persist(send);
      expect(`${name} ${answer.status}`).toBe(`${name} ${['file', 'endpoint'].includes(name) ? 201 : 202}`);
      if (isReplay !== 'perhaps') expect(answer.headers.get('idempotent-replayed')).toBe(isReplay ? 'true' : null);
    }
    await isThereOnce();
  }

  async function isThereOnce(): Promise<void> {
    expect(await rows()).toEqual({ ...rowsOfAll, files: rowsOfAll.files + 1 });
    const ended = async (): Promise<JobView[] | undefined> => {
      const jobs = await api.list<JobView>('/v1/jobs');
      return jobs.every(({ state }) => state === 'completed') ? jobs : undefined;
    };
    await eventually(ended, { withinMs: 20_000, everyMs: 100, describe: 'the completion of all jobs' });
    expect((await api.usage()).total.jobs).toBe(rowsOfAll.jobs);
  }

  async function rows(): Promise<Record<string, number> | undefined> {
    const count = (table: string): string => `(SELECT count(*)::int FROM ${table} WHERE account_id = own.account_id)`;
    const [row] = await cluster.query<Record<string, number>>(
      `SELECT ${count('jobs')} AS jobs, ${count('batches')} AS batches, ${count('files')} AS files,
              ${count('webhook_endpoints')} AS endpoints, ${count('idempotency_keys')} AS keys,
              (SELECT count(*)::int FROM outbox WHERE type = 'job.submitted' AND created_at >= own.created_at) AS commands
       FROM api_keys AS own WHERE secret_sha256 = sha256($1)`,
      [Buffer.from(api.apiKey)],
    );
    return row;
  }

  async function nothingIsThere(): Promise<void> {
    expect(await rows()).toEqual({ jobs: 0, batches: 0, files: 1, endpoints: 0, keys: 0, commands: 0 });
  }

  rule(
    'every request is 503 with Retry-After while it is stopped, nothing is accepted, and the same keys succeed (contract 1.9, 1.12)',
    async () => {
      await postgres.halt('fast');
      areUnavailable(await sendAll());
      areUnavailable(await sendAll());
      await postgres.resume();
      await nothingIsThere();
      await succeedsOnce({ isReplay: false });
    },
  );

  rule(
    'requests that meet its crash and recovery are answered with 503 or succeed, and their keys make one of each (contract 1.4, 1.12)',
    async () => {
      let isOver = false;
      const seen: string[] = [];
      const send = async (create: Send): Promise<void> => {
        do seen.push(outcome(await create(api)));
        while (!isOver);
      };
      const sending = Object.values(creations.all('k')).map(send);
      await postgres.restartImmediate();
      isOver = true;
      await Promise.all(sending);
      const expected = ['201', '202', '503 unavailable', '409 idempotency_key_in_use'];
      expect(seen.filter((each) => !expected.includes(each))).toEqual([]);
      await succeedsOnce({ isReplay: 'perhaps' });
    },
  );

  rule(
    'every request is 503 while foreign sessions have all connections, and the same keys succeed afterwards (contract 1.9, 1.12)',
    async () => {
      const foreign = await takeAllConnections();
      areUnavailable(await sendAll());
      await Promise.all(foreign.map((session) => session.end()));
      await nothingIsThere();
      await succeedsOnce({ isReplay: false });
    },
  );

  rule(
    'requests that wait for a lock with every connection of the pool accept nothing, and the same keys succeed (contract 1.8, 1.12)',
    async () => {
      const holder = new pg.Client({ connectionString: cluster.databaseUrl });
      await holder.connect();
      await holder.query('BEGIN; LOCK TABLE jobs, files, webhook_endpoints IN SHARE ROW EXCLUSIVE MODE');
      const others = Array.from({ length: 10 }, (_, index) => creations.all(`other-${index}`).json(api));
      const [answers, otherAnswers] = await Promise.all([sendAll(), Promise.all(others)]);
      await holder.query('ROLLBACK');
      await holder.end();
      for (const answer of [...answers, ...otherAnswers]) {
        expect(['503 unavailable', '409 idempotency_key_in_use']).toContain(outcome(answer));
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await nothingIsThere();
      await succeedsOnce({ isReplay: false });
    },
  );

  rule(
    'a commit whose answer is lost is 503; it loses no input, and a retry gets what was made and makes nothing more (contract 1.4, 1.6)',
    async () => {
      for (const [name, send] of Object.entries(creations.all('k')) as [keyof typeof commits, Send][]) {
        const lost = proxy.lose('answer', admission, commits[name]);
        const answer = await send(api);
        await lost;
        expect(`${name} ${outcome(answer)}`).toBe(`${name} 503 unavailable`);
      }
      expect(await rows()).toEqual({ ...rowsOfAll, files: rowsOfAll.files + 1 });
      await succeedsOnce({ isReplay: true });
    },
  );

  rule(
    'a statement that never arrives is 503 and is not repeated by the service; the same key succeeds (contract 1.4, 1.9)',
    async () => {
      for (const [name, send] of Object.entries(creations.all('k')) as [keyof typeof commits, Send][]) {
        const lost = proxy.lose('request', admission, commits[name]);
        const answer = await send(api);
        await lost;
        expect(`${name} ${outcome(answer)}`).toBe(`${name} 503 unavailable`);
      }
      await succeedsOnce({ isReplay: false });
    },
  );

  rule('no API answers with another 5xx or breaks a unique constraint', async () => {
    const { logs } = cluster.process('api-1');
    const statuses = logs.map(({ fields }) => Number(fields?.['status'] ?? 0)).filter((status) => status >= 500);
    expect([...new Set(statuses)]).toEqual([503]);
    expect((await postgresLog(postgres)).filter(isUniqueViolation)).toEqual([]);
  });

  /** Takes every connection that the server has, also those that processes had. */
  async function takeAllConnections(): Promise<pg.Client[]> {
    const foreign: pg.Client[] = [];
    const take = async (): Promise<boolean> => {
      const session = new pg.Client({ connectionString: postgres.url });
      session.on('error', () => undefined);
      return session.connect().then(
        () => foreign.push(session) > 0,
        () => false,
      );
    };
    await eventually(
      async () => {
        while (await take());
        const [session] = foreign;
        const { rows: ended } = (await session?.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'pdfonce %'`,
        )) ?? { rows: [] };
        return ended.length === 0;
      },
      { withinMs: 15_000, everyMs: 5, describe: 'no connection of a process' },
    );
    return foreign;
  }
});

function outcome(answer: ApiAnswer): string {
  return answer.status < 400 ? String(answer.status) : `${answer.status} ${answer.json<{ code: string }>().code}`;
}
