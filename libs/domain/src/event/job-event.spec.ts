import { randomBytes } from 'node:crypto';
import type { Job, JobOutput } from '../job/job.js';
import { OutputLinks } from '../output/output-links.js';
import { SecretKeyring } from '../secret/secret-keyring.js';
import { isEventPattern, longestEventBytes } from './event.js';
import { jobEvent } from './job-event.js';

const uuid = '0193a5c0-7b1e-7c3d-8a9b-0123456789ab';
const links = new OutputLinks(
  'http://localhost:3000',
  SecretKeyring.parse(`a:${Buffer.alloc(32, 1).toString('base64')}`, randomBytes),
);

const output = (index: number, name: string): JobOutput => ({
  index,
  name,
  mediaType: 'application/pdf',
  sizeBytes: 1,
  sha256: 'ab'.repeat(32),
  pages: 1,
  expiresAt: new Date(2_000_000_000_000),
  linkKeyId: 'a',
});

const job = (outputs: readonly JobOutput[], metadata: Record<string, string> = {}): Job => ({
  id: uuid,
  operation: 'split',
  state: 'completed',
  attempt: 1,
  idempotencyKey: null,
  progress: { done: 1, total: 1, unit: 'pages' },
  metadata,
  batchId: null,
  clientItemId: null,
  createdAt: new Date(1_000),
  startedAt: new Date(2_000),
  finishedAt: new Date(3_000),
  expiresAt: null,
  inputs: [],
  outputs,
  warnings: [],
  error: null,
});

describe('jobEvent', () => {
  it('says when it happened, under its own id, and shows no inputs', () => {
    const event = jobEvent(uuid, job([output(0, 'a.pdf')]), links);
    const body = JSON.parse(event.body) as { type: string; timestamp: string; data: Record<string, unknown> };
    expect(body).toMatchObject({
      type: 'job.completed',
      timestamp: '1970-01-01T00:00:03.000Z',
      data: { state: 'completed', outputs_total: 1, outputs_url: null },
    });
    expect(body.data).not.toHaveProperty('inputs');
  });

  it('is cut to its limit, whatever a job holds, and says where the rest is', () => {
    const long = job(
      Array.from({ length: 500 }, (_, index) => output(index, '€'.repeat(255))),
      { note: '€'.repeat(500) },
    );
    const event = jobEvent(uuid, long, links);
    expect(Buffer.byteLength(event.body)).toBeLessThanOrEqual(longestEventBytes);
    expect(JSON.parse(event.body)).toMatchObject({ data: { outputs_total: 500, outputs_url: links.jobUrl(uuid) } });
  });
});

describe('OutputLinks', () => {
  it('signs one string for one output, which no other output takes (contract 2.7)', () => {
    const url = new URL(links.ofJob(uuid)(output(0, 'a.pdf')).downloadUrl);
    const claim = {
      keyId: url.searchParams.get('key') ?? '',
      expires: Number(url.searchParams.get('expires')),
      signature: url.searchParams.get('signature') ?? '',
    };
    expect(links.verifies(uuid, 0, claim)).toBe(true);
    expect(links.verifies(uuid, 1, claim)).toBe(false);
    expect(links.verifies(uuid, 0, { ...claim, expires: claim.expires + 1 })).toBe(false);
  });
});

describe('isEventPattern', () => {
  it.each(['*', 'job.*', 'job.completed', 'webhook.*'])('takes %s', (pattern) =>
    expect(isEventPattern(pattern)).toBe(true),
  );
  it.each(['', 'job', 'job.submitted', 'jobs.*', '*.completed', 'job.comp*'])('refuses %p', (pattern) =>
    expect(isEventPattern(pattern)).toBe(false),
  );
});
