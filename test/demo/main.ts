import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { demonstrate, type Findings } from './demonstrate.js';
import { EmbeddedService } from './embedded-service.js';

const help = `Shows the promise of pdfonce: one key makes one job, one result, one usage record and one event, whatever dies.

  npm run demo

Starts the service in a temporary directory, lets 20 clients ask for one document under one idempotency key, kills the service by SIGKILL
while it merges, starts it again, lets the clients repeat their request, and counts. Exits 1 if any number is wrong. Nothing is left but the
merged document. JOB_LEASE (default here 2s) says how long a job of the killed service waits before it is tried again.`;

const rows: readonly (readonly [string, keyof Findings, (findings: Findings) => boolean, string])[] = [
  ['requests sent', 'requests', () => true, ''],
  ['cut off by the kill', 'cutOff', ({ cutOff, requests }) => cutOff === requests / 2, 'every one of the first half'],
  ['jobs made', 'jobs', ({ jobs }) => jobs === 1, '1'],
  ['attempts', 'attempts', ({ attempts }) => attempts >= 2, '2 or more'],
  ['outputs', 'outputs', ({ outputs }) => outputs === 1, '1'],
  ['pages', 'pages', ({ pages, expectedPages }) => pages === expectedPages, 'those of all inputs'],
  ['different documents got', 'documents', ({ documents }) => documents === 1, '1'],
  ['usage records', 'usageRecords', ({ usageRecords }) => usageRecords === 1, '1'],
  ['event ids', 'eventIds', ({ eventIds }) => eventIds === 1, '1'],
  ['deliveries seen', 'deliveries', ({ deliveries }) => deliveries >= 1, '1 or more'],
];

async function main(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'pdfonce-demo-'));
  const service = await EmbeddedService.prepare(directory);
  const receiver = await WebhookReceiver.open();
  const cleanUp = async (): Promise<void> => {
    await Promise.all([service.stop(), receiver.close()]);
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
  }
  try {
    const findings = await demonstrate({ service, receiver, say: (line) => console.log(`  ${line}`) });
    return report(findings, await keep(findings.document));
  } finally {
    await cleanUp();
  }
}

async function keep(document: Buffer): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'pdfonce-demo-output-')), 'merged.pdf');
  await writeFile(path, document);
  return path;
}

/** Prints the account and tells whether every number is right. */
function report(findings: Findings, path: string): boolean {
  console.log();
  const wrong = rows.filter(([, , isRight]) => !isRight(findings));
  for (const row of rows) {
    const [name, field, , expected] = row;
    const value = String(findings[field]).padStart(6);
    console.log(`  ${name.padEnd(24)}${value}${wrong.includes(row) ? `   WRONG: expected ${expected}` : ''}`);
  }
  console.log(`  ${'document'.padEnd(24)}  ${path}\n`);
  console.log(wrong.length === 0 ? 'one key, one job, one result: passed' : 'failed');
  return wrong.length === 0;
}

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
if (values.help === true) {
  console.log(help);
} else {
  try {
    process.exitCode = (await main()) ? 0 : 1;
  } catch (error) {
    console.error(`failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
