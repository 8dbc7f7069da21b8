import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentResult, OperationName, OutputFile } from '#libs/pdf';
import { DocumentPool, operations } from '#libs/pdf';
import { checkWithQpdf } from '../support/documents/check-with-qpdf.js';
import { PdfiumDocument } from '../support/documents/pdfium-document.js';

const samples = fileURLToPath(new URL('../../../shared/samples', import.meta.url));

/** What each operation is asked for. */
const optionsOf: Readonly<Record<string, unknown>> = {
  merge: {},
  split: {},
  pages: { keep: '1' },
  rotate: { angle: 90 },
  watermark: { text: 'SAMPLE' },
};

/** Operations whose outputs have not all pages of the sample. */
const partial: readonly string[] = ['pages'];

/** The samples that nothing can be made of, and why. All others have to work with every operation. */
const expectedFailures: Readonly<Record<string, string>> = {
  'pdfjs--encrypted-attachment.pdf': 'password_required',
  'pdfjs--issue5334.pdf': 'corrupt_document',
  'pdfjs--poppler-395-0-fuzzed.pdf': 'corrupt_document',
  'qpdf--enc-XI-R6,V5,U=view,O=master.pdf': 'password_required',
  'qpdf--encrypted-40-bit-R3.pdf': 'password_required',
};

/** What qpdf may say of the outputs of a sample, which carry over what is wrong with it. */
const carriedComplaints: Readonly<Record<string, RegExp>> = {
  'cantoo--invalid_xref.pdf': /decoding (content )?stream|re-processed without filtering|errors detected/,
  'pdfcpu--gobook.0.pdf': /input stream is complete but output may still be valid/,
  'pdfjs--issue21436.pdf': /doesn't point to the root of the page tree/,
  'pdflib--invalid_root_ref.pdf': /operation for dictionary attempted on object of type integer/,
};

let directory: string;
let pool: DocumentPool;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'samples-'));
  const log = { info: () => undefined, warn: () => undefined };
  const limits = {
    size: 2,
    timeoutMs: 30_000,
    memoryBytes: 2 ** 30,
    maxPages: 10_000,
    maxOutputs: 10_000,
    maxOutputBytes: 2 ** 30,
  };
  const childEntry = resolve('dist/libs/pdf/src/child/main.js');
  pool = new DocumentPool({ ...limits, temporaryRoot: directory, log, childEntry });
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
  expect(names.length).toBeGreaterThan(0);
}, 120_000);

/** What is wrong with a sample, each with the operation; empty if all is as it should be. */
async function problemsWith(name: string): Promise<string[]> {
  const problems: string[] = [];
  const pageCounts = new Set<number>();
  for (const operation of Object.keys(operations) as OperationName[]) {
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
  const options = optionsOf[operation];
  if (options === undefined) throw new Error(`The samples have no options for ${operation}.`);
  const inputs = [{ path: join(samples, name), name, password: null, pages: null }];
  return pool.run({ operation, options, inputs, outputDirectory });
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
  return [
    ...(pages === output.pages ? [] : [`PDFium: ${String(pages)} instead of ${output.pages} pages`]),
    ...complaints.map((complaint) => `qpdf: ${complaint}`),
  ];
}

function pagesOf(outputs: readonly OutputFile[]): number {
  return outputs.reduce((sum, { pages }) => sum + pages, 0);
}
