import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobView } from '#libs/domain';
import pg from 'pg';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { isUniqueViolation, postgresLog } from '../support/postgres-log.js';
import { admissionsThatWait } from './held-keys.js';
import { sendRaw } from './raw-request.js';
import { Service, startTimeoutMs } from './service.js';

/** RACE_ROUNDS=200 is the full proof. */
const rounds = Number(process.env['RACE_ROUNDS'] ?? 5);
const parallel = 50;
const roundTimeoutMs = 20_000;
/** In this round of the races with two bodies, another session holds a lock on the jobs. */
const lockedRound = Math.floor(rounds / 2);
const lockMs = 1_500;

type Send = (api: ApiClient, index: number) => Promise<ApiAnswer>;

describe(`${parallel} requests with one key over two API processes, ${rounds} rounds`, () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, rounds * roundTimeoutMs);
  let postgres: TestPostgres;
  let service: Service;
  let apis: ApiClient[];
  let api: ApiClient;
  let a: Uint8Array;
  let fileId: string;

  beforeAll(async () => {
    postgres = await startTestPostgres({ isOwn: true });
    [service, a] = await Promise.all([Service.start({ postgres }), samplePdf(widthsFrom(100, 1))]);
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);
  afterAll(() => postgres?.stop(), 30_000);

  beforeEach(async () => {
    api = await service.newAccount();
    apis = service.everywhere(api);
    fileId = (await api.uploadFile({ name: 'a.pdf', bytes: a })).json<{ id: string }>().id;
  });

  /** Sends all at once, to each API process in turn. */
  function race(send: Send): Promise<ApiAnswer[]> {
    return Promise.all(Array.from({ length: parallel }, (_, index) => send(apiOf(index), index)));
  }

  /** Sends one after another, to each API process in turn. */
  async function inTurn(send: Send): Promise<ApiAnswer[]> {
    const answers: ApiAnswer[] = [];
    for (let index = 0; index < parallel; index += 1) answers.push(await send(apiOf(index), index));
    return answers;
  }

  function apiOf(index: number): ApiClient {
    const found = apis[index % apis.length];
    if (found === undefined) throw new Error('no API');
    return found;
  }

  /** Repeats a request as long as its key is in use. */
  async function persist(send: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
    return eventually(
      async () => {
        const answer = await send();
        if (codeOf(answer) !== 'idempotency_key_in_use') return answer;
        expect(answer.headers.get('retry-after')).toBe('1');
        return undefined;
      },
      { withinMs: 3_000, describe: 'a decision' },
    ) as Promise<ApiAnswer>;
  }

  /** Runs a race while another session holds a lock on all jobs, which it keeps for a while after the race has run into it. */
  async function whileJobsAreLocked<T>(run: () => Promise<T>): Promise<T> {
    const holder = new pg.Client({ connectionString: service.cluster.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE');
      const running = run();
      const released = pause(lockMs).then(() => holder.query('ROLLBACK'));
      await eventually(async () => (await admissionsThatWait(service)) > 0, {
        withinMs: lockMs,
        describe: 'an admission that waits for the lock',
      });
      await released;
      return await running;
    } finally {
      await holder.end();
    }
  }

  /** One answer, to one request as new and to all others as a repetition. */
  function isOneAnswer(answers: readonly ApiAnswer[]): void {
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.toString('utf8')}`)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  }

  /** The accepted answers are one, and whoever sent the other body was told so, and nothing of the first request. */
  function isOneBody(answers: readonly ApiAnswer[], isWinner: (index: number) => boolean): void {
    const expected = answers.map((_, index) => (isWinner(index) ? '202 ' : '409 idempotency_key_reused'));
    expect(answers.map((answer) => `${answer.status} ${codeOf(answer)}`)).toEqual(expected);
    const accepted = answers.filter(({ status }) => status === 202);
    isOneAnswer(accepted);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.some((answer) => answer.body.includes(idOf(accepted[0])))).toBe(false);
    expect(
      refused.every(({ headers }) => headers.get('location') === null && headers.get('retry-after') === null),
    ).toBe(true);
  }

  rule(
    'make one job, told to exactly one request as new and to all others as the same (contract 1.4, 1.6)',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const key = `race-${round}`;
        const answers = await race((to) => to.submitFiles([pdf(a), pdf(a, 'b.pdf')], { key }));
        expect(answers[0]?.status).toBe(202);
        isOneAnswer(answers);
        await isOnlyJob(key, idOf(answers[0]));
      }
      await holdsOnly({ jobs: rounds, keys: rounds });
    },
  );

  rule(
    'with two different bodies make one job; requests with the other body are 409 and leave nothing (contract 1.4, 1.7, 1.8)',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const bodies = [await samplePdf([300 + round]), await samplePdf([700 + round])] as const;
        const key = `mixed-${round}`;
        const send = (to: ApiClient, index: number) => to.submitFiles([pdf(bodies[sideOf(index)])], { key });
        const answers =
          round === lockedRound
            ? await whileJobsAreLocked(() => race((to, index) => persist(() => send(to, index))))
            : await race(send);
        const job = answers.find(({ status }) => status === 202)?.json<JobView>();
        const winner = bodies.findIndex((bytes) => hash(bytes) === job?.inputs[0]?.sha256);
        isOneBody(answers, (index) => sideOf(index) === winner);
        await isOnlyJob(key, job?.id);
        expect(await whereabouts(hash(bodies[winner === 0 ? 1 : 0]))).toEqual({ inputs: 0, files: 0, outputs: 0 });
      }
      await holdsOnly({ jobs: rounds, keys: rounds });
    },
  );

  rule(
    'one after another make one job for the first body, however the others are sent (contract 1.6, 1.7)',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const key = `turn-${round}`;
        const metadata = [{ side: 'a' }, { side: 'b' }];
        const answers = await inTurn((to, index) =>
          to.submit({ ...mergeOf(fileId), metadata: metadata[sideOf(index)] ?? {} }, { key }),
        );
        isOneBody(answers, (index) => sideOf(index) === 0);
        expect(answers[0]?.headers.get('idempotent-replayed')).toBeNull();
        await isOnlyJob(key, idOf(answers[0]));
      }
      await holdsOnly({ jobs: rounds, keys: rounds });
    },
  );

  rule('with two different batches make one of them, with its jobs and one end (contract 1.4, 2.14)', async () => {
    const items = 3;
    for (let round = 0; round < rounds; round += 1) {
      const key = `batch-${round}`;
      const send = (to: ApiClient, index: number) =>
        to.post('/v1/batches', batchOf(fileId, items, sideOf(index)), { key });
      const answers = await race(send);
      const batch = answers.find(({ status }) => status === 202)?.json<{ id: string }>();
      const jobs = await api.list<JobView>(`/v1/batches/${batch?.id}/jobs`);
      expect(jobs.map((job) => job.client_item_id)).toEqual(['item-0', 'item-1', 'item-2']);
      const [side = '', ...others] = new Set(jobs.map(({ metadata }) => metadata['side']));
      expect(others).toEqual([]);
      isOneBody(answers, (index) => String(sideOf(index)) === side);
    }
    await holdsOnly({ jobs: rounds * items, batches: rounds, keys: rounds });
  });

  rule(
    'to cancel a job cancel it once; a body that the route does not take is refused whoever comes first (contract 1.1, 1.7, 2.12)',
    async () => {
      const worker = service.cluster.process('worker-1');
      for (let round = 0; round < rounds; round += 1) {
        worker.kill('SIGSTOP');
        const { id } = (await api.submit(mergeOf(fileId))).json<JobView>();
        const cancel = (to: ApiClient, index: number) => {
          const path = `/v1/jobs/${id}/cancel`;
          const headers = { 'idempotency-key': 'cancel' };
          return sideOf(index) === 0
            ? to.send('POST', path, { headers })
            : to.send('POST', path, { headers: { ...headers, 'content-type': 'application/json' }, body: '{"why":1}' });
        };
        const answers = await race(cancel).finally(() => worker.kill('SIGCONT'));
        const cancelled = answers.filter((_, index) => sideOf(index) === 0);
        expect(cancelled[0]?.status).toBe(200);
        expect(cancelled[0]?.json()).toMatchObject({ id, state: 'cancelled' });
        isOneAnswer(cancelled);
        const others = answers
          .filter((_, index) => sideOf(index) === 1)
          .map((answer) => `${answer.status} ${codeOf(answer)}`);
        expect(
          others.filter((other) => !['400 invalid_request', '409 idempotency_key_reused'].includes(other)),
        ).toEqual([]);
      }
      await holdsOnly({ jobs: rounds, keys: rounds, completed: 0 });
    },
  );

  rule(
    'whose client leaves at once make one job, which a retry at the other process is told of (contract 1.4, 1.6)',
    async () => {
      const headers = { authorization: `Bearer ${api.apiKey}`, 'content-type': 'application/json' };
      const body = JSON.stringify(mergeOf(fileId));
      for (let round = 0; round < rounds; round += 1) {
        const key = `left-${round}`;
        const length = { 'content-length': String(body.length), 'idempotency-key': key };
        const leave = async (to: ApiClient): Promise<void> => {
          const socket = await sendRaw(to.url, { path: '/v1/jobs', headers: { ...headers, ...length }, body });
          await new Promise((resolve) => socket.write('', resolve));
          socket.destroy();
        };
        await Promise.all(Array.from({ length: 4 }, () => leave(apiOf(round))));
        const answer = await persist(() => apiOf(round + 1).submit(mergeOf(fileId), { key }));
        expect(answer.status).toBe(202);
        await isOnlyJob(key, idOf(answer));
      }
      await holdsOnly({ jobs: rounds, keys: rounds });
    },
  );

  rule('answer nothing with a 5xx and break no unique constraint (contract 1.4)', async () => {
    for (const each of service.everywhere(api)) {
      const metrics = (await each.get('/metrics')).body.toString('utf8');
      expect(metrics).toMatch(/^pdfonce_http_requests_total\{.*status="202"/m);
      expect(metrics).not.toMatch(/^pdfonce_http_requests_total\{.*status="5\d\d"/m);
    }
    expect((await postgresLog(postgres)).filter(isUniqueViolation)).toEqual([]);
  });

  async function isOnlyJob(key: string, id: string | undefined): Promise<void> {
    const jobs = await api.list<JobView>('/v1/jobs', { idempotency_key: key });
    expect(jobs.map((job) => job.id)).toEqual([id]);
  }

  /** Everything ends, and the account has exactly so many rows of each kind; every job has one command and one event, and is charged once. */
  async function holdsOnly(expected: {
    jobs: number;
    keys: number;
    batches?: number;
    completed?: number;
  }): Promise<void> {
    const { jobs, keys, batches = 0, completed = jobs } = expected;
    const count = (table: string, where = '') =>
      `(SELECT count(*)::int FROM ${table} WHERE account_id = own.id ${where})`;
    const sql = `
      SELECT ${count('jobs')} AS jobs, ${count('batches')} AS batches, ${count('idempotency_keys')} AS keys,
             ${count('usage_records')} AS charged, ${count('events', 'AND job_id IS NOT NULL')} AS ends,
             ${count('events', 'AND batch_id IS NOT NULL')} AS batch_ends,
             (SELECT count(*) FROM outbox WHERE type = 'job.submitted') - (SELECT count(*) FROM jobs) AS other_commands
      FROM accounts AS own WHERE id = (SELECT account_id FROM api_keys WHERE secret_sha256 = sha256($1))`;
    await eventually(async () => (await openJobs()) === 0, {
      ...{ withinMs: roundTimeoutMs, everyMs: 100, describe: 'the end of all jobs' },
    });
    const [row] = await service.cluster.query(sql, [Buffer.from(api.apiKey)]);
    expect(row).toEqual({
      jobs,
      batches,
      keys,
      charged: completed,
      ends: jobs,
      batch_ends: batches,
      other_commands: '0',
    });
    expect((await api.usage()).total.jobs).toBe(completed);
  }

  async function openJobs(): Promise<number> {
    const open = await service.cluster.query(`SELECT FROM jobs WHERE finished_at IS NULL`);
    return open.length;
  }

  /** Where rows refer to a document of this content. */
  async function whereabouts(sha256: string): Promise<Record<string, number>> {
    const [row] = await service.cluster.query<Record<string, string>>(
      `SELECT (SELECT count(*) FROM job_inputs WHERE sha256 = decode($1, 'hex')) AS inputs,
              (SELECT count(*) FROM files WHERE sha256 = decode($1, 'hex')) AS files,
              (SELECT count(*) FROM job_outputs WHERE sha256 = decode($1, 'hex')) AS outputs`,
      [sha256],
    );
    return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
  }
});

/** Which of two bodies a request has. Pairs alternate, so both bodies go to both processes. */
function sideOf(index: number): 0 | 1 {
  return Math.floor(index / 2) % 2 === 0 ? 0 : 1;
}

function mergeOf(fileId: string) {
  return { operation: 'merge', inputs: [{ file_id: fileId }] };
}

function batchOf(fileId: string, items: number, side: number): object {
  const item = (_: unknown, index: number) => ({
    ...mergeOf(fileId),
    client_item_id: `item-${index}`,
    metadata: { side: String(side) },
  });
  return { items: Array.from({ length: items }, item) };
}

function pdf(bytes: Uint8Array, name = 'document.pdf') {
  return { name, bytes };
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function idOf(answer: ApiAnswer | undefined): string {
  return answer?.json<{ id: string }>().id ?? '';
}

function codeOf(answer: ApiAnswer): string {
  return answer.status < 400 ? '' : answer.json<{ code: string }>().code;
}
