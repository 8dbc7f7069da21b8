import { compareLoads, type Comparison, type ComparisonOptions } from './comparison.js';
import type { ServerLoad } from './run-load.js';
import { withStages } from './stage.js';

/** Many more than connections, so that no two requests under way have the same. */
const known = { name: 'known', count: 500 };
const makingMs = 2_000;

/** Repetitions against fresh requests, on the same API process: the ratio of requests per second. */
export async function compareReplay(options: ComparisonOptions): Promise<Comparison<'replay' | 'fresh'>> {
  const { directory, measuredMs } = options;
  return withStages(directory, async (open) => {
    const stage = await open('replay');
    await stage.measure({ keys: known, measuredMs: makingMs });
    const measures = {
      replay: async () => onlyReplays(await stage.measure({ keys: known, measuredMs })),
      fresh: () => stage.measure({ keys: 'fresh', measuredMs }),
    };
    return compareLoads(options, measures, ({ replay, fresh }) => replay.perSecond / fresh.perSecond);
  });
}

function onlyReplays(load: ServerLoad): ServerLoad {
  if (load.replayed !== load.requests) throw new Error(`${load.requests - load.replayed} requests were no repetitions`);
  return load;
}
