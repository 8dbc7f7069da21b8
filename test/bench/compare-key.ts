import { compareLoads, type Comparison, type ComparisonOptions } from './comparison.js';
import { withStages } from './stage.js';

/** One route with an idempotency key and without, on the same API process: the ratio of requests per second. */
export async function compareKey(options: ComparisonOptions): Promise<Comparison<'keyed' | 'keyless'>> {
  const { directory, measuredMs } = options;
  return withStages(directory, async (open) => {
    const stage = await open('key');
    const measures = {
      keyed: () => stage.measure({ keys: 'fresh', measuredMs }),
      keyless: () => stage.measure({ keys: 'none', measuredMs }),
    };
    return compareLoads(options, measures, ({ keyed, keyless }) => keyed.perSecond / keyless.perSecond);
  });
}
