import { parseArgs } from 'node:util';

/** The parts of the bench, in the order in which they run. */
export const partNames = [
  'admission',
  'key',
  'replay',
  'keys',
  'flood',
  'memory',
  'latency',
  'deliveries',
  'isolation',
  'idle',
] as const;

/** One of {@link partNames}. */
export type PartName = (typeof partNames)[number];

export interface BenchOptions {
  readonly parts: readonly PartName[];
  readonly pairs: number;
  /** Of each half of a pair. */
  readonly measuredMs: number;
  /** Idempotency keys of the full database. */
  readonly rows: number;
  /** Lone jobs of each latency. */
  readonly jobs: number;
}

/** What a command line asks for. */
export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string };

const help = `Measures what the service takes and what it costs, and holds it against targets. A missed target is no error.

  npm run bench -- [options]

  --only PART     one part alone
  --pairs N       pairs of each comparison (5)
  --seconds N     of each half of a pair (3)
  --rows N        idempotency keys of the full database (1000000)
  --jobs N        lone jobs of each latency (200)
  --help          this text

Parts:
  admission       admission with a key and a rate limit, against a bare handler with the statement for one job
  key             the same route with a key and without
  replay          repetitions against fresh requests
  keys            what many stored keys, and deleting expired ones, do to admission
  flood           what a flood on one key does to the admissions of others
  memory          resident memory of api, worker and dispatcher, and what a large upload adds
  latency         from acceptance to start and from the end to the webhook, of lone jobs
  deliveries      one dispatcher to one receiver and to twenty, beside a bare sender
  isolation       what bad endpoints, and one that is owed 100,000 deliveries, do to the webhooks of others
  idle            npm start with nothing to do

The latency on Kafka needs Java 17+ and Maven, or KAFKA_BROKERS; it is left out, and said so, without.`;

const options = {
  only: { type: 'string' },
  pairs: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '3' },
  rows: { type: 'string', default: '1000000' },
  jobs: { type: 'string', default: '200' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reads the command line; every refusal names the option. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help === true) return { kind: 'help', text: help };
    return {
      kind: 'run',
      options: {
        parts: partsOf(values.only),
        pairs: count('pairs', values.pairs),
        measuredMs: 1_000 * count('seconds', values.seconds),
        rows: count('rows', values.rows),
        jobs: count('jobs', values.jobs),
      },
    };
  } catch (error) {
    return { kind: 'refused', problem: (error as Error).message };
  }
}

function partsOf(only: string | undefined): readonly PartName[] {
  if (only === undefined) return partNames;
  const part = partNames.find((known) => known === only);
  if (part === undefined) throw new Error(`--only: unknown part ${only}; there are ${partNames.join(', ')}`);
  return [part];
}

function count(name: string, text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`--${name} must be a whole number from 1 to 9999999`);
  return Number(text);
}
