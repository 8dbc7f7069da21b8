import { parseArgs } from 'node:util';

/** The parts of the bench. */
export const partNames = ['admission', 'latency', 'idle'] as const;

/** One of {@link partNames}. */
export type PartName = (typeof partNames)[number];

export interface BenchOptions {
  readonly parts: readonly PartName[];
  readonly pairs: number;
  /** Of each half of a pair. */
  readonly measuredMs: number;
  /** Lone jobs of each latency. */
  readonly jobs: number;
}

/** What a command line asks for. */
export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string };

const help = `Measures admission against a bare handler, latencies of lone jobs, and idle use.

  npm run bench -- [options]

  --only PART     one part alone: ${partNames.join(', ')}
  --pairs N       pairs of the admission comparison (5)
  --seconds N     of each half of a pair (8)
  --jobs N        lone jobs of each latency (200)
  --help          this text

The latency on Kafka needs Java 17+ and Maven, or KAFKA_BROKERS; it is left out, and said so, without.`;

/** Reads the command line; every refusal names the option. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        pairs: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '8' },
        jobs: { type: 'string', default: '200' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return { kind: 'help', text: help };
    const options = {
      parts: partsOf(values.only),
      pairs: count('pairs', values.pairs),
      measuredMs: 1_000 * count('seconds', values.seconds),
      jobs: count('jobs', values.jobs),
    };
    return { kind: 'run', options };
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
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`--${name} must be a whole number from 1 to 99999`);
  return Number(text);
}
