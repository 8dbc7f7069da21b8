import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentPool, DocumentResult } from '#libs/pdf';
import { openPool } from '../support/documents/open-pool.js';
import { hostilePdfs } from '../support/hostile-pdfs.js';
import { pageWidths, samplePdf } from '../support/pdf-samples.js';
import { childrenOf } from '../support/processes.js';

const mebibyte = 2 ** 20;
const memoryBytes = 200 * mebibyte;
const limits = { timeoutMs: 4_000, memoryBytes, maxPages: 100, maxOutputs: 100, maxOutputBytes: 50 * mebibyte };

/** What each operation is asked to do. */
const optionsOf = { merge: {}, split: {}, watermark: { text: 'DRAFT' } } as const;

let directory: string;
/** Processes that other suites have left to this one. */
let others: number[];
let pool: DocumentPool;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  others = await childrenOf(process.pid);
  pool = await openPool(directory, { ...limits, size: 1 });
});

afterAll(async () => {
  await pool.close();
  await rm(directory, { recursive: true, force: true });
});

describe.each(Object.entries(hostilePdfs))('%s', (_, { make, outcomes, outcomesWithContent = outcomes }) => {
  let bytes: Uint8Array;
  beforeAll(async () => {
    bytes = await make();
  }, 60_000);

  it.each(['merge', 'split', 'watermark'] as const)(
    'ends a %s as it is right for it, and harms nothing else',
    async (operation) => {
      const { result, outputBytes, peakBytes } = await run(operation, bytes);
      expect(operation === 'watermark' ? outcomesWithContent : outcomes).toContain(outcomeOf(result));
      expect(outputBytes).toBeLessThanOrEqual(limits.maxOutputBytes);
      expect(peakBytes).toBeLessThanOrEqual(memoryBytes * 1.35);
      expect(await leftBehind()).toEqual([]);
      const next = await run('merge', await samplePdf([123]));
      expect(next).toMatchObject({ result: { outcome: 'completed', outputs: [{ pages: 1 }] }, widths: [123] });
    },
    60_000,
  );
});

/** One of the outcomes that a document may have, or what came instead. */
function outcomeOf(result: DocumentResult): string {
  if (result.outcome === 'failed') return result.failure.code;
  if (result.outcome === 'broken') return result.reason;
  return result.outcome === 'completed' && result.warnings.length > 0 ? result.warnings.join() : result.outcome;
}

interface Run {
  readonly result: DocumentResult;
  readonly outputBytes: number;
  /** The most that a process of the pool had in RAM. */
  readonly peakBytes: number;
  /** Those of the pages of the first output. */
  readonly widths: number[] | null;
}

async function run(operation: keyof typeof optionsOf, bytes: Uint8Array): Promise<Run> {
  const place = await mkdtemp(join(directory, 'job-'));
  const outputDirectory = join(place, 'outputs');
  await mkdir(outputDirectory);
  const path = join(place, 'input');
  await writeFile(path, bytes);
  const inputs = [{ path, name: 'input.pdf', password: null, pages: null }];
  const peak = watchPeak();
  const result = await pool.run({ operation, options: optionsOf[operation], inputs, outputDirectory });
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
    for (const pid of (await childrenOf(process.pid)).filter((child) => !others.includes(child))) {
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
