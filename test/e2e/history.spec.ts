import type { JobView } from '#libs/domain';
import { operationNames } from '#libs/pdf';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { hangingPdf, samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

interface Entry {
  readonly type: string;
  readonly at: string;
  readonly number?: number;
  readonly outcome?: string | null;
  readonly ended_at?: string | null;
  readonly event_type?: string;
  readonly event_id?: string;
  readonly state?: string;
  readonly attempts?: number;
}

interface Page {
  readonly data: readonly JobView[];
  readonly next_cursor: string | null;
}

const unknownJob = 'job_01h455vb4pex5vsknk084sn02q';

describe('what happened to a job', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let service: Service;
  let client: ApiClient;
  let a: Uint8Array;

  beforeAll(async () => {
    const env = { JOB_LEASE: '2s', RATE_LIMIT: '10000/60s' };
    [service, a] = await Promise.all([Service.start({ apis: 1, env }), samplePdf(widthsFrom(100, 2))]);
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
  });

  async function submit(bytes: Uint8Array = a, key?: string): Promise<string> {
    const options = key === undefined ? {} : { key };
    return (await client.submitFiles([{ name: 'a.pdf', bytes }], options)).json<JobView>().id;
  }

  async function historyOf(id: string): Promise<readonly Entry[]> {
    const answer = await client.get(`/v1/jobs/${id}/history`);
    const history = answer.json<{ job_id: string; entries: Entry[] }>();
    expect(history.job_id).toBe(id);
    return history.entries;
  }

  rule('is told oldest first, with the delivery of its event', async () => {
    await client.createEndpoint({ url: service.receiver.url });
    service.receiver.respond([503, 200]);
    const id = await submit();
    const job = await client.endedJob(id);
    const entries = await eventually(
      async () => {
        const all = await historyOf(id);
        return all.at(-1)?.state === 'delivered' ? all : undefined;
      },
      { withinMs: 20_000 },
    );
    expect(entries).toMatchObject([
      { type: 'submitted', at: job.created_at },
      { type: 'attempt', at: job.started_at, number: 1, ended_at: job.finished_at, outcome: 'completed' },
      { type: 'event', at: job.finished_at, event_type: 'job.completed' },
      { type: 'delivery', state: 'delivered', attempts: 2 },
    ]);
    const [, , event, delivery] = entries ?? [];
    expect(delivery?.event_id).toBe(event?.event_id);
    expect((await client.get(`/v1/events/${event?.event_id}`)).status).toBe(200);
  });

  rule('begins with its submission and grows with each attempt', async () => {
    const worker = service.cluster.process('worker-1');
    worker.kill('SIGSTOP');
    const id = await submit(Buffer.from('a letter'));
    expect(await historyOf(id)).toMatchObject([{ type: 'submitted' }]);
    worker.kill('SIGCONT');
    await client.endedJob(id);
    expect(await historyOf(id)).toMatchObject([
      { type: 'submitted' },
      { type: 'attempt', number: 1, outcome: 'failed' },
      { type: 'event', event_type: 'job.failed' },
    ]);
  });

  rule('tells of an attempt that is under way, and of its cancellation (contract 2.12)', async () => {
    const id = await submit(hangingPdf());
    await eventually(async () => (await client.job(id)).state === 'processing');
    expect((await historyOf(id)).slice(1)).toMatchObject([
      { type: 'attempt', number: 1, ended_at: null, outcome: null },
    ]);
    await client.send('POST', `/v1/jobs/${id}/cancel`);
    expect((await historyOf(id)).slice(1)).toMatchObject([
      { type: 'attempt', number: 1, outcome: 'cancelled' },
      { type: 'event', event_type: 'job.cancelled' },
    ]);
  });

  rule('tells of an attempt whose worker was killed, and of the next (contract 2.5)', async () => {
    await service.cluster.startAgain('worker-1', 'job.after-output-stored:kill');
    const id = await submit();
    await service.cluster.process('worker-1').exited;
    await service.cluster.startAgain('worker-1');
    await client.endedJob(id);
    expect(await historyOf(id)).toMatchObject([
      { type: 'submitted' },
      { type: 'attempt', number: 1, outcome: 'lost' },
      { type: 'attempt', number: 2, outcome: 'completed' },
      { type: 'event', event_type: 'job.completed' },
    ]);
  });

  rule('is nothing to another account (contract 7.3)', async () => {
    const id = await submit();
    expect((await (await service.newAccount()).get(`/v1/jobs/${id}/history`)).status).toBe(404);
    expect((await client.get(`/v1/jobs/${unknownJob}/history`)).status).toBe(404);
    expect((await client.get('/v1/jobs/nonsense/history')).status).toBe(404);
  });

  rule('and the job are gone once the job is pruned (contract 2.16)', async () => {
    const id = await submit(a, 'k');
    const { outputs } = await client.endedJob(id);
    await service.cluster.query(
      `DELETE FROM jobs WHERE id = (SELECT job_id FROM events WHERE body::json->'data'->>'id' = $1)`,
      [id],
    );
    const answers = [
      await client.get(`/v1/jobs/${id}`),
      await client.get(`/v1/jobs/${id}/history`),
      await client.download(id),
      await client.send('POST', `/v1/jobs/${id}/cancel`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const link = await fetch(outputs[0]?.download_url ?? '');
    expect(link.status).toBe(404);
    await link.arrayBuffer();
    expect(await client.list('/v1/jobs')).toEqual([]);
  });

  rule('does not bring an expired output back: 410, by API key and by link (contract 2.7)', async () => {
    const id = await submit();
    const { outputs } = await client.endedJob(id);
    await service.cluster.query(
      `UPDATE job_outputs SET expires_at = now() - interval '1 second'
       WHERE job_id = (SELECT job_id FROM events WHERE body::json->'data'->>'id' = $1)`,
      [id],
    );
    const download = await client.download(id);
    expect(`${download.status} ${download.json<{ code: string }>().code}`).toBe('410 output_expired');
    const link = await fetch(outputs[0]?.download_url ?? '');
    expect(link.status).toBe(410);
    await link.arrayBuffer();
    expect((await client.job(id)).state).toBe('completed');
  });

  describe('in a list of jobs', () => {
    async function page(query: Readonly<Record<string, string>>): Promise<Page> {
      return (await client.get(`/v1/jobs?${new URLSearchParams(query).toString()}`)).json<Page>();
    }

    /** All pages of a selection; before each, jobs are added that fit it too. */
    async function walk(query: Readonly<Record<string, string>>): Promise<string[]> {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const next: Page = await page({ ...query, limit: '3', ...(cursor === '' ? {} : { cursor }) });
        seen.push(...next.data.map(({ id }) => id));
        cursor = next.next_cursor;
        await client.endedJob(await submit());
      }
      return seen;
    }

    rule('is told page by page, by operation, state and time, while jobs are added (contract 2.13)', async () => {
      const ids: string[] = [];
      for (let count = 0; count < 7; count += 1) ids.unshift(await submit());
      const jobs = await Promise.all(ids.map((id) => client.endedJob(id)));
      const [from, to] = [jobs.at(-1)?.created_at ?? '', jobs[1]?.created_at ?? ''];
      expect(await walk({ operation: 'merge', state: 'completed', created_from: from })).toEqual(ids);
      const between = ids.slice(2).filter((_, index) => (jobs[index + 2]?.created_at ?? '') < to);
      expect(await walk({ state: 'completed', created_from: from, created_to: to })).toEqual(between);
      expect((await page({ operation: 'split' })).data).toEqual([]);
      expect((await page({ state: 'failed' })).data).toEqual([]);
    });

    rule(
      'is not looked for under an operation that there is not: 400 names those there are (contract 2.13)',
      async () => {
        const answer = await client.get('/v1/jobs?operation=shred');
        expect(answer.status).toBe(400);
        expect(answer.json()).toMatchObject({
          code: 'invalid_request',
          errors: [{ pointer: 'query:operation', detail: `must be one of ${operationNames.join(', ')}` }],
        });
      },
    );
  });
});
