import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentResult, OperationName } from '#libs/pdf';
import { DocumentPool } from '#libs/pdf';
import { PDFDocument } from 'pdf-lib';

const samples = fileURLToPath(new URL('../../../shared/samples', import.meta.url));

/** The samples that nothing can be made of, and why. All others have to work. */
const expectedFailures: Readonly<Record<string, string>> = {
  'cantoo--invalid_xref.pdf': 'corrupt_document',
  'pdfjs--encrypted-attachment.pdf': 'password_required',
  'pdfjs--issue15590.pdf': 'corrupt_document',
  'pdfjs--issue21436.pdf': 'corrupt_document',
  'pdfjs--issue5334.pdf': 'corrupt_document',
  'pdfjs--poppler-395-0-fuzzed.pdf': 'corrupt_document',
  'qpdf--enc-R3,V2.pdf': 'password_required',
  'qpdf--enc-XI-R6,V5,O=master.pdf': 'password_required',
  'qpdf--enc-XI-R6,V5,U=view,O=master.pdf': 'password_required',
  'qpdf--encrypted-40-bit-R3.pdf': 'password_required',
};

let directory: string;
let pool: DocumentPool;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'samples-'));
  const log = { info: () => undefined, warn: () => undefined };
  const limits = { size: 2, timeoutMs: 30_000, memoryBytes: 2 ** 30, maxPages: 10_000 };
  const childEntry = resolve('dist/libs/pdf/src/child/main.js');
  pool = new DocumentPool({ ...limits, temporaryRoot: directory, log, childEntry });
});

afterAll(async () => {
  await pool.close();
  await rm(directory, { recursive: true, force: true });
});

it('merges and splits every sample document, or says why it cannot', async () => {
  if (!existsSync(samples)) {
    console.log('The samples were not run: there is no folder ../shared/samples beside the checkout.');
    return;
  }
  const names = (await readdir(samples)).filter((name) => name.endsWith('.pdf'));
  const problems = await Promise.all(names.map(problemWith));
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
  expect(names.length).toBeGreaterThan(0);
}, 60_000);

async function problemWith(name: string): Promise<string | null> {
  const merged = await run('merge', name);
  const split = await run('split', name);
  const outcomes = [summaryOf(merged), summaryOf(split)];
  await rm(join(directory, name), { recursive: true, force: true });
  const expected = expectedFailures[name];
  if (expected !== undefined)
    return outcomes.every((outcome) => outcome === expected) ? null : `${name}: ${outcomes.join()}`;
  const [pages, again] = outcomes;
  return pages === again && /^\d+ pages$/.test(pages ?? '') ? null : `${name}: ${outcomes.join()}`;
}

async function run(operation: OperationName, name: string): Promise<DocumentResult> {
  const outputDirectory = join(directory, name, operation);
  await mkdir(outputDirectory, { recursive: true });
  const inputs = [{ path: join(samples, name), name, password: null, pages: null }];
  const result = await pool.run({ operation, options: {}, inputs, outputDirectory });
  if (result.outcome === 'completed') await expectReadable(result);
  await rm(outputDirectory, { recursive: true });
  return result;
}

/** The first and the last output can be read and have the pages that were announced. */
async function expectReadable({ outputs }: Extract<DocumentResult, { outcome: 'completed' }>): Promise<void> {
  for (const output of new Set([outputs[0], outputs.at(-1)])) {
    const document = await PDFDocument.load(await readFile(output?.path ?? ''), { updateMetadata: false });
    expect(document.getPageCount()).toBe(output?.pages);
  }
}

function summaryOf(result: DocumentResult): string {
  switch (result.outcome) {
    case 'completed':
      return `${result.outputs.reduce((sum, { pages }) => sum + pages, 0)} pages`;
    case 'failed':
      return result.failure.code;
    case 'crashed':
      return result.reason;
    case 'aborted':
      return result.outcome;
  }
}
