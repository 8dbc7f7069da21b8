import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Batch, FailedItem } from '../batch/batch.js';
import type { Job, JobOutput } from '../job/job.js';
import { OutputLinks } from '../output/output-links.js';
import { SecretKeyring } from '../secret/secret-keyring.js';
import { batchEvent } from './batch-event.js';
import type { RenderedEvent } from './envelope.js';
import { longestEventBytes } from './event.js';
import { jobEvent } from './job-event.js';

const uuid = '0193a5c0-7b1e-7c3d-8a9b-0123456789ab';
const links = new OutputLinks(
  'https://pdf.example',
  SecretKeyring.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes),
);
const at = new Date('2026-11-30T10:00:00.000Z');

/** Texts that take up to six bytes a character as JSON: controls, quotes, what UTF-8 needs four bytes for, everything. */
const text = (most: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: most }),
    fc.constantFrom('\u0001', '"', '€', '🎉', 'a').map((unit) => unit.repeat(most)),
  );

const outputs = fc
  .tuple(fc.integer({ min: 0, max: 1_000 }), text(255))
  .map(([count, name]) => Array.from({ length: count }, (_, index): JobOutput => outputNamed(name, index)));

function outputNamed(name: string, index: number): JobOutput {
  return {
    ...{ index, name, mediaType: 'application/pdf', sizeBytes: Number.MAX_SAFE_INTEGER, sha256: 'ab'.repeat(32) },
    ...{ pages: 100_000, expiresAt: at, linkKeyId: 'k1' },
  };
}

const jobs: fc.Arbitrary<Job> = fc.record({
  id: fc.constant(uuid),
  operation: fc.constant('split'),
  state: fc.constantFrom('completed', 'failed', 'cancelled'),
  attempt: fc.constant(1),
  idempotencyKey: fc.option(fc.string({ maxLength: 255 })),
  progress: fc.constant({ done: 1, total: 1, unit: 'pages' as const }),
  metadata: fc.dictionary(text(40), text(500), { maxKeys: 20 }),
  batchId: fc.option(fc.constant(uuid)),
  clientItemId: fc.option(text(100)),
  createdAt: fc.constant(at),
  startedAt: fc.option(fc.constant(at)),
  finishedAt: fc.constant(at),
  expiresAt: fc.option(fc.constant(at)),
  inputs: fc.constant([]),
  outputs,
  warnings: fc.array(text(2_000), { maxLength: 100 }),
  error: fc.option(
    fc.record({
      code: fc.constant('corrupt_document'),
      message: text(50_000),
      retryable: fc.boolean(),
      input: fc.option(fc.nat()),
      limit: fc.option(fc.constant({ name: 'MAX_PAGES', allowed: 1, actual: 2 })),
    }),
  ),
});

const failures: fc.Arbitrary<readonly FailedItem[]> = fc
  .tuple(fc.integer({ min: 0, max: 1_000 }), text(100))
  .map(([count, clientItemId]) =>
    Array.from({ length: count }, () => ({ jobId: uuid, clientItemId, code: 'corrupt_document' })),
  );

function batchOf(failed: number): Batch {
  const counts = { queued: 0, processing: 0, completed: 0, failed, cancelled: 0 };
  return { ...{ id: uuid, state: 'completed', counts, items: failed }, createdAt: at, finishedAt: at, expiresAt: at };
}

function dataOf({ body }: RenderedEvent): Record<string, unknown> {
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(longestEventBytes);
  const { id, type, timestamp, data } = JSON.parse(body) as Record<string, unknown>;
  expect([id, type, timestamp]).toEqual([expect.stringMatching(/^evt_/), expect.any(String), at.toISOString()]);
  return data as Record<string, unknown>;
}

describe('the body of an event', () => {
  it('of a job is at most 20 kB with at most 20 outputs and says where the others are, whatever the job holds (contract 3.3)', () => {
    fc.assert(
      fc.property(jobs, (job) => {
        const data = dataOf(jobEvent(uuid, job, links));
        const told = (data['outputs'] as unknown[]).length;
        expect(told).toBeLessThanOrEqual(20);
        expect(data['outputs_total']).toBe(job.outputs.length);
        expect(data['outputs_url']).toBe(told < job.outputs.length ? links.jobUrl(uuid) : null);
      }),
      { seed: 20_261_130, numRuns: 60 },
    );
  });

  it('of a batch is at most 20 kB with at most 20 item errors, their number and where all are (contract 3.3)', () => {
    fc.assert(
      fc.property(failures, (failed) => {
        const data = dataOf(batchEvent(uuid, batchOf(failed.length), failed, links));
        expect((data['errors'] as unknown[]).length).toBeLessThanOrEqual(20);
        expect(data['errors_total']).toBe(failed.length);
        expect(data['jobs_url']).toBe(`${links.batchUrl(uuid)}/jobs`);
      }),
      { seed: 20_261_130, numRuns: 100 },
    );
  });

  it('leaves out as little as it can', () => {
    const few = {
      ...fc.sample(jobs, { seed: 1, numRuns: 1 })[0]!,
      metadata: { order: '42' },
      warnings: [],
      error: null,
    };
    const job: Job = { ...few, outputs: [outputNamed('a.pdf', 0)], clientItemId: null, idempotencyKey: null };
    expect(dataOf(jobEvent(uuid, job, links))).toMatchObject({ metadata: { order: '42' }, outputs: [{ index: 0 }] });
  });
});
