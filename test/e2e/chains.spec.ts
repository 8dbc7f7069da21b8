import type { JobView } from '#libs/domain';
import { PDFDocument } from 'pdf-lib';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { corruptPdf, samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

describe('a chain of jobs', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let service: Service;
  let client: ApiClient;
  let a: Uint8Array;
  let b: Uint8Array;

  beforeAll(async () => {
    [service, a, b] = await Promise.all([
      Service.start(),
      samplePdf(widthsFrom(100, 2)),
      samplePdf(widthsFrom(200, 1)),
    ]);
    client = await service.newAccount();
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  const merge = (inputs: readonly object[], key?: string) =>
    client.submit({ operation: 'merge', inputs }, key === undefined ? {} : { key });
  const idOf = (answer: ApiAnswer) => {
    expect(answer.status).toBe(202);
    return answer.json<JobView>().id;
  };
  const outputOf = (jobId: string, output = 0) => ({ job_id: jobId, output });

  rule('is as many requests and no polling: each step reads what the one before made (contract 2.10)', async () => {
    const first = idOf(
      await client.submitFiles(
        [
          { name: 'a.pdf', bytes: a },
          { name: 'b.pdf', bytes: b },
        ],
        { key: 'merge' },
      ),
    );
    const split = await client.submit(
      { operation: 'split', inputs: [outputOf(first)], options: { by: 'pages' } },
      { key: 'split' },
    );
    const last = await merge([outputOf(idOf(split), 2), outputOf(first)], 'again');
    const job = await client.endedJob(idOf(last));
    expect(job).toMatchObject({ state: 'completed', outputs: [{ pages: 4 }] });
    expect(job.inputs).toMatchObject([{ media_type: 'application/pdf' }, { name: 'merged.pdf' }]);
    const document = await PDFDocument.load((await client.download(job.id)).body);
    expect(document.getPages().map((page) => Math.round(page.getWidth()))).toEqual([200, 100, 101, 200]);
  });

  rule('shows an input that is still to be made as unknown, and a replay shows the same bytes later', async () => {
    const first = idOf(await client.submitFiles([{ name: 'a.pdf', bytes: a }]));
    const accepted = await merge([outputOf(first)], 'replayed');
    const unknown = { name: null, media_type: null, size: null, sha256: null };
    // The first job may have ended before the second was accepted.
    expect([unknown, expect.objectContaining({ name: 'merged.pdf' })]).toContainEqual(
      accepted.json<JobView>().inputs[0],
    );
    await client.endedJob(idOf(accepted));
    const replayed = await merge([outputOf(first)], 'replayed');
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.body.equals(accepted.body)).toBe(true);
  });

  rule('fails from the step that fails on, each naming its input and the cause, and is charged nothing', async () => {
    const before = (await client.usage()).total.jobs;
    const first = idOf(
      await client.submitFiles([
        { name: 'x.pdf', bytes: corruptPdf() },
        { name: 'a.pdf', bytes: a },
      ]),
    );
    const chain = [first];
    for (let link = 0; link < 20; link += 1) {
      const answer = await merge([outputOf(chain.at(-1) ?? '')]);
      // The job before may have failed already.
      if (answer.status === 422) break;
      chain.push(idOf(answer));
    }
    for (const jobId of chain.slice(1)) {
      const job = await client.endedJob(jobId);
      expect(job).toMatchObject({
        state: 'failed',
        attempt: 0,
        error: { code: 'input_failed', input: 0, retryable: false },
      });
    }
    expect((await client.usage()).total.jobs).toBe(before);
    const refused = await merge([outputOf(first)]);
    expect(refused.json()).toMatchObject({
      status: 422,
      code: 'input_not_found',
      errors: [{ pointer: '/inputs/0/job_id' }],
    });
  });

  rule('fails where a job has fewer outputs than its successor asks for', async () => {
    const first = idOf(await client.submitFiles([{ name: 'a.pdf', bytes: a }]));
    const answer = await merge([outputOf(first, 7)]);
    if (answer.status === 202) {
      const job = await client.endedJob(idOf(answer));
      expect(job.error).toMatchObject({ code: 'input_failed', message: expect.stringContaining('output 7') });
    } else expect(answer.json()).toMatchObject({ code: 'input_not_found', errors: [{ pointer: '/inputs/0/output' }] });
  });

  rule("never reads another account's job", async () => {
    const other = await service.newAccount();
    const first = idOf(await other.submitFiles([{ name: 'a.pdf', bytes: a }]));
    expect((await merge([outputOf(first)])).json()).toMatchObject({ status: 422, code: 'input_not_found' });
  });
});
