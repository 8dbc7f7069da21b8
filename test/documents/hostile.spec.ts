import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type DocumentFailureCode, DocumentPool, type DocumentResult, type OperationName } from '#libs/pdf';
import { hostilePdfs } from '../support/hostile-pdfs.js';
import { pageWidths, samplePdf } from '../support/pdf-samples.js';
import { childrenOf } from '../support/processes.js';

const mebibyte = 2 ** 20;
const memoryBytes = 200 * mebibyte;
const limits = { timeoutMs: 4_000, memoryBytes, maxPages: 100, maxOutputs: 100, maxOutputBytes: 50 * mebibyte };
const outcomes: readonly DocumentFailureCode[] = ['corrupt_document', 'limit_exceeded', 'time_limit', 'memory_limit'];
const documents = hostilePdfs();

let directory: string;
let pool: DocumentPool;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  const log = { info: () => undefined, warn: () => undefined };
  const childEntry = resolve('dist/libs/pdf/src/child/main.js');
  pool = new DocumentPool({ ...limits, size: 1, temporaryRoot: directory, log, childEntry });
  await pool.warm();
});

afterAll(async () => {
  await pool.close();
  await rm(directory, { recursive: true, force: true });
});

describe.each(['merge', 'split'] as const)('%s of', (operation) => {
  it.each(Object.keys(documents))(
    '%s ends with a result or a typed failure, and harms nothing else',
    async (name) => {
      const bytes = (await documents[name]?.()) ?? Buffer.alloc(0);
      const { result, outputBytes, peakBytes } = await run(operation, bytes);
      if (result.outcome !== 'completed')
        expect(result).toMatchObject({
          outcome: 'failed',
          failure: { code: expect.stringMatching(outcomes.join('|')) },
        });
      expect(outputBytes).toBeLessThanOrEqual(limits.maxOutputBytes);
      expect(peakBytes).toBeLessThanOrEqual(memoryBytes * 1.35);
      expect(await leftBehind()).toEqual([]);
      const next = await run('merge', await samplePdf([123]));
      expect(next).toMatchObject({ result: { outcome: 'completed', outputs: [{ pages: 1 }] }, widths: [123] });
    },
    60_000,
  );
});

interface Run {
  readonly result: DocumentResult;
  readonly outputBytes: number;
  /** The most that a process of the pool had in RAM. */
  readonly peakBytes: number;
  /** Those of the pages of the first output. */
  readonly widths: number[] | null;
}

async function run(operation: OperationName, bytes: Uint8Array): Promise<Run> {
  const place = await mkdtemp(join(directory, 'job-'));
  const outputDirectory = join(place, 'outputs');
  await mkdir(outputDirectory);
  const path = join(place, 'input');
  await writeFile(path, bytes);
  const inputs = [{ path, name: 'input.pdf', password: null, pages: null }];
  const peak = watchPeak();
  const result = await pool.run({ operation, options: {}, inputs, outputDirectory });
  const peakBytes = peak.stop();
  const names = await readdir(outputDirectory);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(outputDirectory, name))).size));
  const first = result.outcome === 'completed' ? result.outputs[0] : undefined;
  const widths = first === undefined || operation === 'split' ? null : await widthsOf(first.path);
  await rm(place, { recursive: true });
  return { result, outputBytes: sizes.reduce((sum, size) => sum + size, 0), peakBytes, widths };
}

async function widthsOf(path: string): Promise<number[] | null> {
  const bytes = await readFile(path);
  return bytes.byteLength > mebibyte ? null : pageWidths(bytes);
}

/** Temporary directories of tasks. */
async function leftBehind(): Promise<string[]> {
  const owners = (await readdir(directory)).filter((name) => name.startsWith('pdfonce-'));
  return (await Promise.all(owners.map((owner) => readdir(join(directory, owner))))).flat();
}

function watchPeak(): { stop(): number } {
  let peak = 0;
  const look = async (): Promise<void> => {
    for (const pid of await childrenOf(process.pid)) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024);
    }
  };
  const timer = setInterval(() => void look(), 20);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}
