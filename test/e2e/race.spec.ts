import { createHash } from 'node:crypto';
import type { JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient, SentFile } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

/** RACE_ROUNDS=100 is the full proof. */
const rounds = Number(process.env['RACE_ROUNDS'] ?? 5);
const parallel = 50;
const roundTimeoutMs = 20_000;

describe(`${parallel} parallel requests with one key over two API processes, ${rounds} rounds`, () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, rounds * roundTimeoutMs);
  let service: Service;
  let apis: ApiClient[];
  let a: Uint8Array;
  let b: Uint8Array;

  beforeAll(async () => {
    [service, a, b] = await Promise.all([
      Service.start(),
      samplePdf(widthsFrom(100, 1)),
      samplePdf(widthsFrom(200, 1)),
    ]);
    apis = service.everywhere(await service.newAccount());
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  /** Sends all at once, one to each API process in turn. */
  function race(key: string, filesOf: (index: number) => readonly SentFile[]): Promise<ApiAnswer[]> {
    const sent = Array.from({ length: parallel }, (_, index) => {
      const api = apis[index % apis.length];
      if (api === undefined) throw new Error('no API');
      return api.submitFiles(filesOf(index), { key });
    });
    return Promise.all(sent);
  }

  rule('make one job, told to exactly one request as new and to all others as the same (contract 1.4)', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const key = `race-${round}`;
      const answers = await race(key, () => [file(a), file(b)]);
      expect(answers.map(({ status }) => status)).toEqual(new Array(parallel).fill(202));
      expect(new Set(answers.map((answer) => answer.body.toString('utf8'))).size).toBe(1);
      expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
      await isOnlyJob(key, answers[0]?.json<JobView>().id);
    }
    await completed(rounds);
  });

  rule(
    'with two different bodies make one job; requests with the other body are 409 and leave nothing (contract 1.4, 1.7)',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const [left, right] = [await samplePdf([300 + round]), await samplePdf([700 + round])];
        const key = `mixed-${round}`;
        const bodies = [left, right];
        // Pairs alternate, so both bodies go to both processes.
        const bodyOf = (index: number): Uint8Array => (Math.floor(index / 2) % 2 === 0 ? left : right);
        const answers = await race(key, (index) => [file(bodyOf(index))]);
        const accepted = answers.filter(({ status }) => status === 202);
        const [job] = accepted.map((answer) => answer.json<JobView>());
        if (job === undefined) throw new Error('nothing was accepted');
        expect(new Set(accepted.map((answer) => answer.body.toString('utf8'))).size).toBe(1);
        expect(accepted.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);

        const winner = bodies.find((bytes) => hash(bytes) === job.inputs[0]?.sha256);
        const expected = answers.map((_, index) => (bodyOf(index) === winner ? '202 ' : '409 idempotency_key_reused'));
        expect(answers.map((answer) => `${answer.status} ${codeOf(answer)}`)).toEqual(expected);
        await isOnlyJob(key, job.id);
        const loser = bodies.find((bytes) => bytes !== winner) as Uint8Array;
        expect(await whereabouts(hash(loser))).toEqual({ inputs: 0, files: 0, outputs: 0 });
        const refused = answers.filter(({ status }) => status === 409);
        expect(refused.some((answer) => answer.body.includes(job.id))).toBe(false);
        expect(refused.every(({ headers }) => headers.get('location') === null)).toBe(true);
      }
      await completed(2 * rounds);
    },
  );

  rule('answer nothing with a 5xx (contract 6.3)', async () => {
    expect(service.apiFailures()).toEqual([]);
  });

  async function isOnlyJob(key: string, id: string | undefined): Promise<void> {
    const jobs = await apis[0]?.list<JobView>('/v1/jobs', { idempotency_key: key });
    expect(jobs?.map((job) => job.id)).toEqual([id]);
  }

  /** Every job so far completes, is charged once and has one event. */
  async function completed(count: number): Promise<void> {
    const [api] = apis;
    if (api === undefined) throw new Error('no API');
    await eventually(
      async () => {
        const jobs = await service.cluster.query<{ state: string }>('SELECT state FROM jobs');
        return jobs.length === count && jobs.every(({ state }) => state === 'completed');
      },
      { withinMs: roundTimeoutMs, everyMs: 100, describe: `${count} completed jobs` },
    );
    expect((await api.usage()).total.jobs).toBe(count);
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

function file(bytes: Uint8Array): SentFile {
  return { name: 'document.pdf', bytes };
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function codeOf(answer: ApiAnswer): string {
  return answer.status < 400 ? '' : answer.json<{ code: string }>().code;
}
