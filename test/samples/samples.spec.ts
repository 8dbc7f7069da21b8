import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DocumentPool, type DocumentResult, type OperationName, operationNames, type OutputFile } from '#libs/pdf';
import { checkWithQpdf } from '../support/documents/check-with-qpdf.js';
import { openPool } from '../support/documents/open-pool.js';
import { PdfiumDocument } from '../support/documents/pdfium-document.js';

const samples = fileURLToPath(new URL('../../../shared/samples', import.meta.url));

/** What each operation is asked for. */
const optionsOf: Readonly<Record<OperationName, unknown>> = {
  merge: {},
  split: {},
  pages: { keep: '1' },
  rotate: { angle: 90 },
  watermark: { text: 'SAMPLE' },
};

/** Operations whose outputs have not all pages of the sample. */
const partial: readonly OperationName[] = ['pages'];

/** The samples that nothing can be made of, and why. All others have to work with every operation. */
const expectedFailures: Readonly<Record<string, string>> = {
  'pdfjs--encrypted-attachment.pdf': 'password_required',
  'pdfjs--issue5334.pdf': 'corrupt_document',
  'pdfjs--poppler-395-0-fuzzed.pdf': 'corrupt_document',
  'qpdf--enc-XI-R6,V5,U=view,O=master.pdf': 'password_required',
  'qpdf--encrypted-40-bit-R3.pdf': 'password_required',
};

/** What qpdf says of the outputs of a sample, which carry over what is wrong with it. */
const carriedComplaints: Readonly<Record<string, RegExp>> = {
  'cantoo--invalid_xref.pdf': /decoding (content )?stream|re-processed without filtering|errors detected/,
  'pdflib--invalid_root_ref.pdf': /operation for dictionary attempted on object of type integer/,
};

/** The samples of which qpdf said what is carried. */
const complained = new Set<string>();

let directory: string;
let pool: DocumentPool;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'samples-'));
  pool = await openPool(directory, { memoryBytes: 2 ** 30 });
});

afterAll(async () => {
  await pool.close();
  await rm(directory, { recursive: true, force: true });
});

it('runs every operation over every sample document, or says why it cannot', async () => {
  if (!existsSync(samples)) {
    console.log('The samples were not run: there is no folder ../shared/samples beside the checkout.');
    return;
  }
  const names = (await readdir(samples)).filter((name) => name.endsWith('.pdf'));
  const problems = await Promise.all(names.map(problemsWith));
  expect(problems.flat()).toEqual([]);
  expect([...complained].sort()).toEqual(Object.keys(carriedComplaints).sort());
  expect(names.length).toBeGreaterThan(0);
}, 120_000);

/** What is wrong with a sample, each with the operation; empty if all is as it should be. */
async function problemsWith(name: string): Promise<string[]> {
  const problems: string[] = [];
  const pageCounts = new Set<number>();
  for (const operation of operationNames) {
    const outputDirectory = join(directory, name, operation);
    await mkdir(outputDirectory, { recursive: true });
    const result = await run(operation, name, outputDirectory);
    for (const problem of await problemsOf(name, result)) problems.push(`${name}, ${operation}: ${problem}`);
    if (result.outcome === 'completed' && !partial.includes(operation)) pageCounts.add(pagesOf(result.outputs));
    await rm(outputDirectory, { recursive: true });
  }
  if (pageCounts.size > 1) problems.push(`${name}: pages differ: ${[...pageCounts].join()}`);
  return problems;
}

function run(operation: OperationName, name: string, outputDirectory: string): Promise<DocumentResult> {
  const inputs = [{ path: join(samples, name), name, password: null, pages: null }];
  return pool.run({ operation, options: optionsOf[operation], inputs, outputDirectory });
}

async function problemsOf(name: string, result: DocumentResult): Promise<string[]> {
  const expected = expectedFailures[name] ?? 'completed';
  const outcome = outcomeOf(result);
  if (outcome !== expected) return [`${outcome} instead of ${expected}`];
  if (result.outcome !== 'completed') return [];
  const seen = new Set([result.outputs[0], result.outputs.at(-1)]);
  const problems = await Promise.all([...seen].map((output) => problemsWithOutput(name, output)));
  return problems.flat();
}

function outcomeOf(result: DocumentResult): string {
  if (result.outcome === 'failed') return result.failure.code;
  return result.outcome === 'broken' ? result.reason : result.outcome;
}

/** qpdf finds nothing in an output, and PDFium opens it and finds its pages. */
async function problemsWithOutput(name: string, output: OutputFile | undefined): Promise<string[]> {
  if (output === undefined) return ['no output'];
  const bytes = await readFile(output.path);
  const pages = await PdfiumDocument.open(bytes, '', ({ pageCount }) => pageCount).catch((error: Error) => error);
  const { errors, warnings } = await checkWithQpdf(bytes);
  const carried = carriedComplaints[name];
  const complaints = [...errors, ...warnings].filter((line) => carried?.test(line) !== true);
  if (complaints.length < errors.length + warnings.length) complained.add(name);
  return [
    ...(pages === output.pages ? [] : [`PDFium: ${String(pages)} instead of ${output.pages} pages`]),
    ...complaints.map((complaint) => `qpdf: ${complaint}`),
  ];
}

function pagesOf(outputs: readonly OutputFile[]): number {
  return outputs.reduce((sum, { pages }) => sum + pages, 0);
}
