import type { batchView, JobView } from '#libs/domain';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { hangingPdf, samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { childrenOf, isRunning } from '../support/processes.js';
import { Service, startTimeoutMs } from './service.js';

type BatchView = ReturnType<typeof batchView>;

const noJobs = { queued: 0, processing: 0, completed: 0, failed: 0, cancelled: 0 };

describe('cancelling', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 120_000);
  let service: Service;
  let client: ApiClient;
  let a: Uint8Array;

  beforeAll(async () => {
    const env = { WORKER_CONCURRENCY: '2', RATE_LIMIT: '10000/60s' };
    [service, a] = await Promise.all([Service.start({ env }), samplePdf(widthsFrom(100, 2))]);
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
  });

  async function submit(bytes: Uint8Array = a): Promise<JobView> {
    return (await client.submitFiles([{ name: 'a.pdf', bytes }])).json<JobView>();
  }

  function cancel(path: string, key?: string): Promise<ApiAnswer> {
    return client.send('POST', `${path}/cancel`, { headers: key === undefined ? {} : { 'idempotency-key': key } });
  }

  function codeOf(answer: ApiAnswer): string {
    return `${answer.status} ${answer.status === 200 ? '' : answer.json<{ code: string }>().code}`.trim();
  }

  async function isAtWork(id: string): Promise<boolean> {
    return (await client.job(id)).state === 'processing';
  }

  /** What the end of a job left behind. */
  async function leftBy(id: string) {
    const [row] = await service.cluster.query<{ events: string[]; usage: number; outputs: number; inputs: number }>(
      `WITH own AS (SELECT job_id FROM events WHERE body::json->'data'->>'id' = $1)
       SELECT array_agg(type) AS events,
              (SELECT count(*)::int FROM usage_records JOIN own USING (job_id)) AS usage,
              (SELECT count(*)::int FROM job_outputs JOIN own USING (job_id)) AS outputs,
              (SELECT count(*)::int FROM job_inputs JOIN own USING (job_id) WHERE object_id IS NOT NULL) AS inputs
       FROM events WHERE body::json->'data'->>'id' = $1`,
      [id],
    );
    return row;
  }

  /** Lets nothing be claimed meanwhile. */
  async function whileWorkerStands(work: () => Promise<void>): Promise<void> {
    const worker = service.cluster.process('worker-1');
    worker.kill('SIGSTOP');
    try {
      await work();
    } finally {
      worker.kill('SIGCONT');
    }
  }

  rule('ends a queued job, which nobody starts any more, and replays byte for byte (contract 1.6, 2.12)', async () => {
    await client.createEndpoint({ url: service.receiver.url });
    await whileWorkerStands(async () => {
      const { id } = await submit();
      const answer = await cancel(`/v1/jobs/${id}`, 'k');
      expect(answer.status).toBe(200);
      const job = answer.json<JobView>();
      expect(job).toMatchObject({ id, state: 'cancelled', attempt: 0, started_at: null, outputs: [], error: null });
      expect(job.finished_at).not.toBeNull();
      expect(job.expires_at).not.toBeNull();
      expect(await client.job(id)).toEqual(job);

      const [, elsewhere] = service.everywhere(client);
      const headers = { 'idempotency-key': 'k' };
      const retry = await elsewhere?.send('POST', `/v1/jobs/${id}/cancel`, { headers });
      expect(retry?.status).toBe(200);
      expect(retry?.headers.get('idempotent-replayed')).toBe('true');
      expect(retry?.body).toEqual(answer.body);
      expect(codeOf(await cancel(`/v1/jobs/${id}`))).toBe('409 job_finished');
      expect(codeOf(await cancel(`/v1/jobs/${id}`, 'other'))).toBe('409 job_finished');
      expect(await leftBy(id)).toEqual({ events: ['job.cancelled'], usage: 0, outputs: 0, inputs: 0 });
      await eventually(() => service.receiver.received(({ body }) => body.includes(id)).length === 1);
    });
    const next = await submit();
    expect((await client.endedJob(next.id)).state).toBe('completed');
    const [cancelled] = await client.list<JobView>('/v1/jobs', { state: 'cancelled' });
    expect(cancelled).toMatchObject({ state: 'cancelled', attempt: 0 });
  });

  rule('ends a running job, whose work stops within 2 s and leaves nothing (contract 2.12, 2.15)', async () => {
    const { pid } = service.cluster.process('worker-1');
    const { id } = await submit(hangingPdf());
    await eventually(() => isAtWork(id));
    const children = (await eventually(async () => {
      const running = await childrenOf(pid);
      return running.length > 0 ? running : undefined;
    })) as number[];
    const answer = await cancel(`/v1/jobs/${id}`);
    const from = performance.now();
    expect(answer.json<JobView>()).toMatchObject({ id, state: 'cancelled', attempt: 1, outputs: [], error: null });
    await eventually(async () => !(await Promise.all(children.map(isRunning))).some(Boolean));
    expect(performance.now() - from).toBeLessThan(2_000);

    expect(await leftBy(id)).toEqual({ events: ['job.cancelled'], usage: 0, outputs: 0, inputs: 0 });
    expect((await client.download(id)).status).toBe(404);
    expect((await client.endedJob((await submit()).id)).state).toBe('completed');
    expect(await client.job(id)).toEqual(answer.json());
    expect((await client.usage()).total.jobs).toBe(1);
  });

  rule('of a job that is waited for is the answer to who waits (contract 1.14)', async () => {
    const held = [
      client.submitFiles([{ name: 'a.pdf', bytes: hangingPdf() }], { key: 'k', wait: 30 }),
      client.submitFiles([{ name: 'a.pdf', bytes: hangingPdf() }], { key: 'k', wait: 30, accept: 'application/pdf' }),
    ];
    const [job] = (await eventually(async () => {
      const jobs = await client.list<JobView>('/v1/jobs');
      return jobs.length > 0 ? jobs : undefined;
    })) as JobView[];
    expect((await cancel(`/v1/jobs/${job?.id}`)).status).toBe(200);
    const [asJob, asDocument] = await Promise.all(held);
    expect(asJob?.json<JobView>().state).toBe('cancelled');
    expect(`${asDocument?.status} ${asDocument?.json<{ code: string }>().code}`).toBe('422 job_cancelled');
    expect(asDocument?.headers.get('location')).toBe(`/v1/jobs/${job?.id}`);
  });

  rule('fails the jobs that await the job (contract 2.8)', async () => {
    const { id } = await submit(hangingPdf());
    const dependent = { operation: 'merge', inputs: [{ job_id: id, output: 0 }] };
    const waiting = (await client.submit(dependent)).json<JobView>();
    await cancel(`/v1/jobs/${id}`);
    const failed = await client.endedJob(waiting.id);
    expect(failed).toMatchObject({ state: 'failed', attempt: 0, error: { code: 'input_failed', input: 0 } });
    const late = await client.submit(dependent);
    expect(codeOf(late)).toBe('422 input_not_found');
  });

  rule('takes no body, or an empty object, which are the same request (contract 1.5)', async () => {
    await whileWorkerStands(async () => {
      const path = `/v1/jobs/${(await submit()).id}/cancel`;
      for (const body of [{ reason: 'x' }, [], 'x', null])
        expect(codeOf(await client.post(path, body, { key: 'k' }))).toBe('400 invalid_request');
      const broken = { headers: { 'idempotency-key': 'k', 'content-type': 'application/json' }, body: '{' };
      expect(codeOf(await client.send('POST', path, broken))).toBe('400 invalid_json');
      const text = { headers: { 'idempotency-key': 'k', 'content-type': 'text/plain' }, body: 'please' };
      expect(codeOf(await client.send('POST', path, text))).toBe('415 unsupported_media_type');
      expect((await client.post(path, {}, { key: 'k' })).status).toBe(200);
      const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' };
      const retry = await client.send('POST', path, { headers });
      expect(retry.status).toBe(200);
      expect(retry.headers.get('idempotent-replayed')).toBe('true');
      expect(codeOf(await client.post(path, { reason: 'x' }, { key: 'k' }))).toBe('409 idempotency_key_reused');
    });
  });

  rule('of what is not there, or is another account’s, is 404 and changes nothing (contract 7.3)', async () => {
    await whileWorkerStands(async () => {
      const { id } = await submit();
      const other = await service.newAccount();
      expect(codeOf(await other.send('POST', `/v1/jobs/${id}/cancel`))).toBe('404 not_found');
      expect((await client.job(id)).state).toBe('queued');
      expect(codeOf(await cancel('/v1/jobs/job_01h455vb4pex5vsknk084sn02q', 'k'))).toBe('404 not_found');
      expect(codeOf(await cancel('/v1/batches/batch_01h455vb4pex5vsknk084sn02q', 'k'))).toBe('404 not_found');
      expect(codeOf(await cancel(`/v1/jobs/${id}`, 'k'))).toBe('200');
    });
  });

  rule('raced 50-fold under one key ends the job once, and all are told the same (contract 1.4, 1.6)', async () => {
    await whileWorkerStands(async () => {
      const { id } = await submit();
      const headers = { 'idempotency-key': 'k' };
      const answers = await Promise.all(
        service
          .everywhere(client)
          .flatMap((each) => Array.from({ length: 25 }, () => each.send('POST', `/v1/jobs/${id}/cancel`, { headers }))),
      );
      expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.toString('utf8')}`)).size).toBe(1);
      expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1);
      expect(await leftBy(id)).toMatchObject({ events: ['job.cancelled'] });
    });
  });

  rule(
    'raced 100 times against completion leaves one end, one event and at most one charge (contract 2.5, 2.12)',
    async () => {
      const rounds = Array.from({ length: 100 }, (_, round) => round);
      const outcomes: string[] = [];
      const race = async (round: number): Promise<void> => {
        const { id } = await submit();
        for (let look = 0; look < round % 12; look += 1) if ((await client.job(id)).state === 'completed') break;
        const answer = await cancel(`/v1/jobs/${id}`, id);
        const job = await client.job(id);
        expect(codeOf(answer)).toBe(job.state === 'cancelled' ? '200' : '409 job_finished');
        const isCompleted = job.state === 'completed';
        const left = {
          events: [`job.${job.state}`],
          inputs: 0,
          usage: Number(isCompleted),
          outputs: Number(isCompleted),
        };
        expect(await leftBy(id)).toEqual(left);
        if (!isCompleted) expect(answer.json()).toEqual(job);
        outcomes.push(job.state);
      };
      for (let first = 0; first < rounds.length; first += 4)
        await Promise.all(rounds.slice(first, first + 4).map(race));
      expect(new Set(outcomes)).toEqual(new Set(['completed', 'cancelled']));
      const completed = outcomes.filter((state) => state === 'completed');
      expect((await client.usage()).total.jobs).toBe(completed.length);
    },
  );

  rule(
    'a batch while its items end writes batch.completed once, and its counts add up (contract 2.12, 2.14)',
    async () => {
      const file = await client.uploadFile({ name: 'a.pdf', bytes: a });
      const inputs = [{ file_id: file.json<{ id: string }>().id }];
      const items = Array.from({ length: 12 }, (_, item) => ({
        client_item_id: `${item}`,
        operation: 'merge',
        inputs,
      }));
      for (let round = 0; round < 12; round += 1) {
        const { id } = (await client.post('/v1/batches', { items })).json<BatchView>();
        const read = async () => (await client.get(`/v1/batches/${id}`)).json<BatchView>();
        await eventually(async () => (await read()).counts.completed >= round);
        const answers = await Promise.all(['k', 'l'].map((key) => cancel(`/v1/batches/${id}`, key)));
        const batch = await read();
        const { completed, cancelled } = batch.counts;
        expect(batch).toMatchObject({ state: 'completed', counts: { ...noJobs, completed, cancelled } });
        expect(completed + cancelled).toBe(12);
        const codes = answers.map(codeOf).sort();
        expect(codes).toEqual(
          cancelled > 0 ? ['200', '409 batch_finished'] : ['409 batch_finished', '409 batch_finished'],
        );
        for (const answer of answers) if (answer.status === 200) expect(answer.json()).toEqual(batch);
        const [events] = await service.cluster.query(
          `SELECT count(*) FILTER (WHERE type = 'batch.completed' AND body::json->'data'->>'id' = $1)::int AS batch,
                count(DISTINCT job_id)::int AS jobs,
                count(*) FILTER (WHERE type = 'job.completed')::int AS completed,
                count(*) FILTER (WHERE type = 'job.cancelled')::int AS cancelled
         FROM events WHERE $1 IN (body::json->'data'->>'id', body::json->'data'->>'batch_id')`,
          [id],
        );
        expect(events).toEqual({ batch: 1, jobs: 12, completed, cancelled });
      }
    },
  );
});
