import { comparisonOf, type Comparison, type ComparisonOptions, told } from './comparison.js';
import { holdKey } from './hold-key.js';
import type { SentKeys } from './load-generator.js';
import { measureRounds } from './rounds.js';
import type { ServerLoad } from './run-load.js';
import { type Stage, withStages } from './stage.js';

/** Nobody else; others who wait for one held key; who repeat one key as fast as they can; who repeat keys of their own as fast as they can. */
type Situation = 'quiet' | 'held' | 'one' | 'many';

/** How long a lone client's admissions with keys of its own take while others flood the process: ratios of median times. */
export interface FloodComparison {
  /** Of the others. */
  readonly connections: number;
  /** Others wait for one key, against nobody there. */
  readonly held: Comparison<Situation>;
  /** Others repeat one key, against nobody there. */
  readonly repeated: Comparison<Situation>;
  /** Others repeat one key, against others who repeat keys of their own. */
  readonly apart: Comparison<Situation>;
  /** Repetitions in a second, by round. */
  readonly floods: Readonly<Record<'one' | 'many', readonly number[]>>;
}

const connections = 100;
/** The flood begins before what is measured, and ends after it. */
const marginMs = 700;
/** A median needs fewer requests than a 99th percentile. */
const shareOfHalf = 2 / 3;

/** Measures every situation in each round, on one API process. */
export async function compareFlood(options: ComparisonOptions): Promise<FloodComparison> {
  const { directory, pairs, say } = options;
  const measuredMs = shareOfHalf * options.measuredMs;
  const floods = { held: [] as number[], one: [] as number[], many: [] as number[] };
  return withStages(directory, async (open) => {
    const stage = await open('flood');
    const lone = () => stage.measure({ keys: 'fresh', measuredMs, connections: 1 });
    const flooded = async (situation: keyof typeof floods, keys: SentKeys, status = 202): Promise<ServerLoad> => {
      const flood = { keys, connections, measuredMs: measuredMs + 2 * marginMs };
      const [load, { perSecond }] = await Promise.all([lone(), stage.send(flood, { status })]);
      floods[situation].push(perSecond);
      return load;
    };
    const measures = {
      quiet: lone,
      held: () => whileHeld(stage, (keys) => flooded('held', keys, 409)),
      one: () => flooded('one', { name: 'one', count: 1 }),
      many: () => flooded('many', { name: 'many', count: 10 * connections }),
    };
    const rounds = await measureRounds(pairs, measures, (round, number) => say(`round ${number}: ${told(round)}`));
    return {
      connections,
      held: comparisonOf(rounds, ({ held, quiet }) => held.p50Ms / quiet.p50Ms),
      repeated: comparisonOf(rounds, ({ one, quiet }) => one.p50Ms / quiet.p50Ms),
      apart: comparisonOf(rounds, ({ one, many }) => one.p50Ms / many.p50Ms),
      floods,
    };
  });
}

async function whileHeld(stage: Stage, work: (keys: SentKeys) => Promise<ServerLoad>): Promise<ServerLoad> {
  const release = await holdKey(stage, 'held-0');
  try {
    return await work({ name: 'held', count: 1 });
  } finally {
    await release();
  }
}
