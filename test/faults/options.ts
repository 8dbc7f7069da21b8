import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** What a run of the fault runner is asked to do. */
export interface FaultOptions {
  readonly kills: number;
  readonly seed: string;
  readonly apis: number;
  readonly workers: number;
  readonly dispatchers: number;
}

/** What a command line asks for. */
export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: FaultOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string };

const scenarios: Readonly<Record<string, string>> = { kills: 'SIGKILL of api, worker and dispatcher under load' };

const help = `Kills the processes of a cluster under load and checks what its clients and receivers saw.

  npm run faults -- [options]

  --kills N         how many processes are killed (200)
  --seed S          repeats the choices of a run; a random one is printed otherwise
  --apis N          API processes (2)
  --workers N       worker processes (2)
  --dispatchers N   dispatcher processes (2)
  --only NAME       one scenario alone; there is: ${Object.keys(scenarios).join(', ')}
  --help            this text

Needs Java 17+ and Maven, or KAFKA_BROKERS. Uses the Postgres of TEST_DATABASE_URL where that is set, one of its own otherwise.`;

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
        apis: { type: 'string', default: '2' },
        workers: { type: 'string', default: '2' },
        dispatchers: { type: 'string', default: '2' },
        only: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return { kind: 'help', text: help };
    refuseUnknownScenario(values.only);
    const options = {
      kills: count('kills', values.kills, mostKills),
      seed: values.seed ?? String(randomInt(2 ** 31)),
      apis: count('apis', values.apis, mostProcesses),
      workers: count('workers', values.workers, mostProcesses),
      dispatchers: count('dispatchers', values.dispatchers, mostProcesses),
    };
    return { kind: 'run', options };
  } catch (error) {
    return { kind: 'refused', problem: (error as Error).message };
  }
}

function refuseUnknownScenario(name: string | undefined): void {
  if (name === undefined || name in scenarios) return;
  throw new Error(`--only: unknown scenario ${name}; there is: ${Object.keys(scenarios).join(', ')}`);
}

function count(name: string, text: string, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new Error(`--${name} must be a whole number from 1 to ${most}`);
  return value;
}
