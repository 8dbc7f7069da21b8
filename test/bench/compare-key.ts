import { comparisonOf, type Comparison, type ComparisonOptions, told } from './comparison.js';
import { measureRounds } from './rounds.js';
import { type StagedLoad, withStages } from './stage.js';

/** Many clients or a lone one, with a key for each request or without any. */
type Sender = 'keyed' | 'keyless' | 'loneKeyed' | 'loneKeyless';

/** One route with an idempotency key and without, on the same API process. */
export interface KeyComparison {
  /** Of requests per second. */
  readonly load: Comparison<Sender>;
  /** Of the median times of a client that sends one request after the other. */
  readonly lone: Comparison<Sender>;
}

/** Measures many clients and a lone one, with keys and without, in each round. */
export async function compareKey(options: ComparisonOptions): Promise<KeyComparison> {
  const { directory, measuredMs, pairs, say } = options;
  return withStages(directory, async (open) => {
    const stage = await open('key');
    const send = (load: Omit<StagedLoad, 'measuredMs'>) => () => stage.measure({ ...load, measuredMs });
    const measures = {
      keyed: send({ keys: 'fresh' }),
      keyless: send({ keys: 'none' }),
      loneKeyed: send({ keys: 'fresh', connections: 1 }),
      loneKeyless: send({ keys: 'none', connections: 1 }),
    };
    const rounds = await measureRounds(pairs, measures, (round, number) => say(`round ${number}: ${told(round)}`));
    return {
      load: comparisonOf(rounds, ({ keyed, keyless }) => keyed.perSecond / keyless.perSecond),
      lone: comparisonOf(rounds, ({ loneKeyed, loneKeyless }) => loneKeyed.p50Ms / loneKeyless.p50Ms),
    };
  });
}
