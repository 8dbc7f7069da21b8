import { failpointNames } from '#libs/domain';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHistory } from '../support/history.js';
import { judge, type Judgement } from './judge.js';
import { type FaultOptions, parseOptions } from './options.js';
import { endpointNames, runUnderFaults } from './run-under-faults.js';

/** With fewer kills a moment may be missed by chance. */
const killsForEveryPoint = 100;
const mostViolationsShown = 30;

const parsed = parseOptions(process.argv.slice(2));
switch (parsed.kind) {
  case 'help':
    console.log(parsed.text);
    break;
  case 'refused':
    console.error(parsed.problem);
    process.exitCode = 1;
    break;
  case 'run':
    process.exit((await run(parsed.options)) ? 0 : 1);
}

async function run(options: FaultOptions): Promise<boolean> {
  const startedAt = performance.now();
  const directory = await mkdtemp(join(tmpdir(), 'pdfonce-faults-'));
  const historyPath = join(directory, 'history.jsonl');
  console.log(`seed ${options.seed}, ${options.kills} kills; history: ${historyPath}`);
  await runUnderFaults({ ...options, directory, historyPath, say: (line) => console.log(line) });
  const points = options.kills < killsForEveryPoint ? [] : failpointNames;
  const judgement = judge(await readHistory(historyPath), { endpoints: endpointNames, kills: options.kills, points });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  print(judgement, [
    `took ${seconds} s; repeat with --kills ${options.kills} --seed ${options.seed}`,
    `history: ${historyPath}`,
  ]);
  return judgement.violations.length === 0;
}

function print({ figures, violations }: Judgement, closing: readonly string[]): void {
  const width = Math.max(...figures.map(([name]) => name.length));
  for (const [name, value] of figures) console.log(`${name.padEnd(width)}  ${value}`);
  for (const violation of violations.slice(0, mostViolationsShown)) console.log(`VIOLATION: ${violation}`);
  console.log(violations.length === 0 ? 'every promise was kept' : `${violations.length} violation(s)`);
  for (const line of closing) console.log(line);
}
