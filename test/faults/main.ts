import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHistory } from '../support/history.js';
import type { Judgement } from './facts.js';
import { type FaultOptions, parseOptions } from './options.js';
import { scenarios } from './scenarios.js';

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
    process.exit((await runAll(parsed.options)) ? 0 : 1);
}

async function runAll(options: FaultOptions): Promise<boolean> {
  let isKept = true;
  for (const name of options.scenarios) isKept = (await run(name, options)) && isKept;
  return isKept;
}

async function run(name: string, { kills, seed, processes }: FaultOptions): Promise<boolean> {
  const scenario = scenarios[name];
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const startedAt = performance.now();
  const directory = await mkdtemp(join(tmpdir(), 'pdfonce-faults-'));
  const historyPath = join(directory, 'history.jsonl');
  console.log(`${name}: seed ${seed}, ${kills} kills; history: ${historyPath}`);
  const say = (line: string): void => console.log(line);
  await scenario.run({ ...scenario.processes, ...processes, kills, seed, directory, historyPath, say });
  const judgement = scenario.judge(await readHistory(historyPath), kills);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  print(judgement, [
    `took ${seconds} s; repeat with --only ${name} --kills ${kills} --seed ${seed}`,
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
