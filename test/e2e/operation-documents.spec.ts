import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { JobView } from '#libs/domain';
import { operationNames } from '#libs/pdf';
import { writeSamples } from '../../apps/standalone/src/welcome/write-samples.js';
import type { ApiClient } from '../support/api-client.js';
import { packageRoot } from '../support/package-root.js';
import { pageWidths } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

const run = promisify(execFile);
const documents = join(packageRoot, 'docs', 'operations');
const names = readdirSync(documents).filter((name) => name.endsWith('.md'));

describe('the documents of the operations', () => {
  let service: Service;
  let directory: string;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, dispatchers: 0 });
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pdfonce-operations-'));
    await writeSamples(join(directory, 'data'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('are there, one for each', () => {
    expect(names.map((name) => basename(name, '.md'))).toEqual(expect.arrayContaining([...operationNames]));
  });

  it.each(names)(
    'have examples that work when they are pasted one after the other: %s',
    async (name) => {
      const blocks = await examplesOf(name);
      const curls = blocks.join('\n').match(/\bcurl\b/g) ?? [];
      expect(curls.length).toBeGreaterThan(0);
      expect(blocks.join('\n').match(/\bcurl --fail-with-body\b/g)).toHaveLength(curls.length);
      const client = await service.newAccount();
      await paste(blocks, client);
      const jobs = await client.list<JobView>('/v1/jobs');
      expect(jobs.map(({ operation }) => operation)).toContain(basename(name, '.md'));
      for (const { id } of jobs) expect(await client.endedJob(id)).toMatchObject({ state: 'completed', error: null });
      const named = [...blocks.join('\n').matchAll(/ -o (\S+)/g)].map(([, file = '']) => file);
      for (const file of named) expect((await widthsOf(file)).length).toBeGreaterThan(0);
    },
    60_000,
  );

  /** Runs the blocks in one shell, where `npm start` would have written its samples. */
  async function paste(blocks: readonly string[], { url, apiKey }: ApiClient): Promise<void> {
    const env = { ...process.env, NODE_OPTIONS: '', URL: url, KEY: apiKey };
    const script = ['set -euxo pipefail', ...blocks].join('\n');
    await run('bash', ['-c', script], { cwd: directory, env, timeout: 50_000 });
  }

  async function widthsOf(file: string): Promise<number[]> {
    const bytes = await readFile(join(directory, file));
    expect([file, bytes.subarray(0, 5).toString('latin1')]).toEqual([file, '%PDF-']);
    return pageWidths(bytes);
  }
});

/** The blocks of shell in a document that call the service. */
async function examplesOf(name: string): Promise<string[]> {
  const markdown = await readFile(join(documents, name), 'utf8');
  const blocks = [...markdown.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);
  return blocks.filter((block) => block.includes('curl'));
}
