import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  documentFailureCodes,
  type DocumentPool,
  type DocumentResult,
  type InputFile,
  type OperationName,
  operationNames,
  type OutputFile,
} from '#libs/pdf';
import { parseDocument } from '../../libs/pdf/src/document/open/parse-document.js';
import { scanBytes } from '../../libs/pdf/src/scan/scan-bytes.js';
import { makeDocument } from '../support/documents/make-document.js';
import { encrypt } from '../support/documents/make-encrypted.js';
import { makeForm } from '../support/documents/make-form.js';
import { makeRichDocument } from '../support/documents/make-rich-document.js';
import { linearized, makeHybrid, withObjectStreams } from '../support/documents/make-variants.js';
import { mutatePdf, seededRandom } from '../support/documents/mutate-pdf.js';
import { openPool } from '../support/documents/open-pool.js';
import { eventually } from '../support/eventually.js';
import { childrenOf, isRunning } from '../support/processes.js';

const seed = Number(process.env['MUTATION_SEED'] ?? 1);
const rounds = Number(process.env['MUTATIONS'] ?? 1_000);
const timeoutMs = 10_000;

/** What each operation is asked to do. */
const options: Readonly<Record<OperationName, unknown>> = {
  merge: {},
  split: { by: 'pages' },
  pages: { keep: '2,1' },
  rotate: { angle: 90 },
  watermark: { text: 'DRAFT' },
};

let directory: string;
let pool: DocumentPool;
let samples: Uint8Array[];
const logged: object[] = [];
/** Processes that other suites have left to this one. */
let others: number[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mutations-'));
  others = await childrenOf(process.pid);
  const note = (fields: object, message: string): void => void logged.push({ ...fields, message });
  const limits = { timeoutMs, maxPages: 100, maxOutputs: 100 };
  // A start costs as much as thirty tasks, and what one leaves behind shows the better in a process that goes on.
  pool = await openPool(directory, { ...limits, tasksPerChild: rounds, log: { info: note, warn: note } });
  const [plain, rich] = [await makeDocument('A', 2), await makeRichDocument('A')];
  samples = [
    plain,
    rich,
    await makeForm('A'),
    makeHybrid(),
    await withObjectStreams(rich),
    await linearized(plain),
    await encrypt(plain, 'aes-128', { user: '', owner: 'owner' }),
  ];
});

afterAll(async () => {
  const children = (await childrenOf(process.pid)).filter((pid) => !others.includes(pid));
  await pool.close();
  await eventually(async () => (await Promise.all(children.map(isRunning))).every((runs) => !runs), {
    withinMs: 2_000,
  });
  await rm(directory, { recursive: true, force: true });
});

async function run(operation: OperationName, name: string, bytes: Uint8Array): Promise<DocumentResult> {
  const outputDirectory = join(directory, name);
  await mkdir(outputDirectory);
  const input: InputFile = { path: join(outputDirectory, 'in'), name: 'a.pdf', password: null, pages: null };
  await writeFile(input.path, bytes);
  return pool.run({ operation, options: options[operation], inputs: [input], outputDirectory });
}

/** What is wrong with a result, `null` if nothing is. */
async function faultOf(result: DocumentResult): Promise<string | null> {
  switch (result.outcome) {
    case 'completed':
      return (await Promise.all(result.outputs.map(faultOfOutput))).find((fault) => fault !== null) ?? null;
    case 'failed': {
      const { code, message } = result.failure;
      const isTyped = documentFailureCodes.includes(code) && /^[A-Z][^\n]*\.$/.test(message);
      return isTyped ? null : `failed with ${code}: ${message}`;
    }
    case 'broken':
      return result.reason;
    case 'stopped':
      return result.outcome;
  }
}

async function faultOfOutput(output: OutputFile): Promise<string | null> {
  const scan = scanBytes(await readFile(output.path), 0);
  if (scan.verdict !== 'direct') return `an output is ${scan.verdict}`;
  const { isSound, pages } = await parseDocument(scan.bytes);
  if (pages.length !== output.pages) return `an output has ${pages.length} of ${output.pages} pages`;
  return isSound ? null : 'an output is not sound';
}

describe.each(operationNames)('a damaged document in %s', (operation) => {
  it(`gives a result that opens by itself, or a typed failure, and harms no other (seed ${seed}, set by MUTATION_SEED)`, async () => {
    const faults: string[] = [];
    const outcomes = new Map<string, number>();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < rounds) {
        const round = next++;
        const bytes = mutatePdf(samples[round % samples.length] ?? Buffer.from(''), seededRandom(seed + round));
        const name = `${operation}-${round}`;
        const result = await run(operation, name, bytes);
        const outcome = result.outcome === 'failed' ? result.failure.code : result.outcome;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        const fault = await faultOf(result).catch((error: unknown) => `an output cannot be read: ${String(error)}`);
        if (fault !== null) faults.push(`round ${round}: ${fault}`);
        await rm(join(directory, name), { recursive: true });
      }
    };
    await Promise.all([work(), work()]);
    expect(faults).toEqual([]);
    expect(outcomes.get('completed')).toBeGreaterThan(rounds / 10);
    expect(await run(operation, `${operation}-after`, samples[0] ?? Buffer.from(''))).toMatchObject({
      outcome: 'completed',
    });
    expect(logged.splice(0).filter((line) => JSON.stringify(line).includes('child-printed'))).toEqual([]);
  }, 600_000);
});
