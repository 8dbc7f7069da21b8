import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { scenarios } from './scenarios.js';

/** What the fault runner is asked to do. */
export interface FaultOptions {
  /** Names of scenarios, in the order in which they are run. */
  readonly scenarios: readonly string[];
  readonly kills: number;
  readonly seed: string;
  /** Numbers of processes that are not those of the scenario. */
  readonly processes: { readonly apis?: number; readonly workers?: number; readonly dispatchers?: number };
}

/** What a command line asks for. */
export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: FaultOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string };

const names = Object.keys(scenarios);

const help = `Breaks the processes of a cluster under load and checks what its clients and receivers saw, and what the database holds.

  npm run faults -- [options]

  --kills N         how many faults there are in each scenario (200)
  --seed S          repeats the choices of a run; a random one is printed otherwise
  --apis N          API processes (${numbers('apis')})
  --workers N       worker processes (${numbers('workers')})
  --dispatchers N   dispatcher processes (${numbers('dispatchers')})
  --only NAME       one scenario alone
  --help            this text

Scenarios:
${names.map((name) => `  ${name.padEnd(16)}  ${scenarios[name]?.about}`).join('\n')}

Each starts a Postgres of its own. kills needs Java 17+ and Maven, or KAFKA_BROKERS. admission needs neither. delivery needs Java 17+ and Maven, for it
kills the broker; its dispatchers are what --kills breaks.`;

const mostProcesses = 8;
const mostKills = 100_000;

/** Reads the command line; every refusal names the option. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        kills: { type: 'string', default: '200' },
        seed: { type: 'string' },
        apis: { type: 'string' },
        workers: { type: 'string' },
        dispatchers: { type: 'string' },
        only: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return { kind: 'help', text: help };
    refuseUnknownScenario(values.only);
    const options = {
      scenarios: values.only === undefined ? names : [values.only],
      kills: count('kills', values.kills, mostKills),
      seed: values.seed ?? String(randomInt(2 ** 31)),
      processes: {
        ...processCount('apis', values.apis),
        ...processCount('workers', values.workers),
        ...processCount('dispatchers', values.dispatchers),
      },
    };
    return { kind: 'run', options };
  } catch (error) {
    return { kind: 'refused', problem: (error as Error).message };
  }
}

function refuseUnknownScenario(name: string | undefined): void {
  if (name === undefined || names.includes(name)) return;
  throw new Error(`--only: unknown scenario ${name}; there is: ${names.join(', ')}`);
}

function processCount(name: keyof FaultOptions['processes'], text: string | undefined): FaultOptions['processes'] {
  return text === undefined ? {} : { [name]: count(name, text, mostProcesses) };
}

function count(name: string, text: string, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new Error(`--${name} must be a whole number from 1 to ${most}`);
  return value;
}

/** The number of processes in each scenario. */
function numbers(name: keyof FaultOptions['processes']): string {
  return names.map((scenario) => `${scenario}: ${scenarios[scenario]?.processes[name]}`).join(', ');
}
