import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { JobView } from '#libs/domain';
import ts from 'typescript';
import type { ApiClient } from '../support/api-client.js';
import { packageRoot } from '../support/package-root.js';
import { samplePdf } from '../support/pdf-samples.js';
import { Service, startTimeoutMs } from './service.js';

const run = promisify(execFile);
const clientLibrary = pathToFileURL(join(packageRoot, 'dist', 'libs', 'client', 'src', 'index.js')).href;

describe('the clients of docs/idempotency.md', () => {
  let service: Service;
  let client: ApiClient;
  let directory: string;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, dispatchers: 0 });
    client = await service.newAccount();
    directory = await mkdtemp(join(tmpdir(), 'pdfonce-documented-'));
    await mkdir(join(directory, 'data', 'samples'), { recursive: true });
    for (const [index, name] of ['one.pdf', 'two.pdf'].entries())
      await writeFile(join(directory, 'data', 'samples', name), await samplePdf([100 + index]));
  }, startTimeoutMs);

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
    await service?.stop();
  }, 30_000);

  it.each(['fetch', '@pdfonce/client'])(
    'make one job with %s, however often they run',
    async (means) => {
      const before = await client.list<JobView>('/v1/jobs');
      const program = await documented(`### TypeScript, with ${means}`);
      const [first, again] = [await output(program), await output(program)];
      expect(first).not.toContain('true');
      expect(again).toContain('true');
      const made = (await client.list<JobView>('/v1/jobs')).filter(({ id }) => !before.some((job) => job.id === id));
      expect(made.map(({ operation, inputs }) => [operation, inputs.map(({ name }) => name)])).toEqual([
        ['merge', ['one.pdf', 'two.pdf']],
      ]);
    },
    60_000,
  );

  /** What a program prints at its end. */
  async function output(program: string): Promise<string> {
    const env = { ...process.env, NODE_OPTIONS: '', URL: client.url, KEY: client.apiKey };
    const options = { cwd: directory, env, timeout: 50_000 };
    return (await run(process.execPath, ['--input-type=module', '--eval', program], options)).stdout;
  }
});

/** The program below a heading, as JavaScript. */
async function documented(heading: string): Promise<string> {
  const markdown = await readFile(join(packageRoot, 'docs', 'idempotency.md'), 'utf8');
  const [, source = ''] = /```ts\n([^]*?)```/.exec(markdown.split(`${heading}\n`)[1] ?? '') ?? [];
  expect(source).not.toBe('');
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(source, { compilerOptions }).outputText.replace('@pdfonce/client', clientLibrary);
}
