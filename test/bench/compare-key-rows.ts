import { comparisonOf, type Comparison, type ComparisonOptions, told } from './comparison.js';
import { fillKeys } from './fill-keys.js';
import { PurgingProcess } from './purging-process.js';
import { measureRounds } from './rounds.js';
import type { ServerLoad } from './run-load.js';
import { type Stage, withStages } from './stage.js';

/** A database that began empty; one with many keys; the same while its expired keys are deleted. */
type Situation = 'empty' | 'full' | 'purging';

/** What many keys, and their removal, do to admission. */
export interface KeyRowsComparison {
  readonly rows: number;
  /** Many keys against none: the ratio of median times. */
  readonly filled: Comparison<Situation>;
  /** With the purge against without: the ratio of 99th percentiles. */
  readonly purged: Comparison<Situation>;
  /** Keys that the purge deleted in a second, by round. */
  readonly deletedPerSecond: readonly number[];
}

/** More than a purge deletes in a second beside the load. */
const expiredRowsForOneSecond = 15_000;
const startAndWarmUpMs = 1_500;

/** @param options.rows keys of the full database */
export async function compareKeyRows(
  options: ComparisonOptions & { readonly rows: number },
): Promise<KeyRowsComparison> {
  const { directory, pairs, measuredMs, rows, say } = options;
  const load = { keys: 'fresh', measuredMs } as const;
  return withStages(directory, async (open) => {
    const [empty, full] = [await open('empty'), await open('full')];
    await fillKeys(full, rows, 'in the day to come');
    say(`${rows} keys are there`);
    const deletedPerSecond: number[] = [];
    const purging = async (): Promise<ServerLoad> => {
      const purged = await measureWhilePurging(full, options);
      deletedPerSecond.push(purged.deletedPerSecond);
      return purged.load;
    };
    const rounds = await measureRounds<Situation, ServerLoad>(
      pairs,
      { empty: () => empty.measure(load), full: () => full.measure(load), purging },
      (round, number) => say(`round ${number}: ${told(round)}`),
    );
    return {
      rows,
      filled: comparisonOf(rounds, (round) => round.full.p50Ms / round.empty.p50Ms),
      purged: comparisonOf(rounds, (round) => round.purging.p99Ms / round.full.p99Ms),
      deletedPerSecond,
    };
  });
}

interface PurgedLoad {
  readonly load: ServerLoad;
  readonly deletedPerSecond: number;
}

async function measureWhilePurging(
  stage: Stage,
  { measuredMs, say }: Pick<ComparisonOptions, 'measuredMs' | 'say'>,
): Promise<PurgedLoad> {
  const rows = Math.ceil((expiredRowsForOneSecond * (measuredMs + startAndWarmUpMs)) / 1_000);
  await fillKeys(stage, rows, 'in the day that was');
  const purge = await PurgingProcess.start(stage);
  const load = await stage.measure({ keys: 'fresh', measuredMs });
  const { deleted, idleMs, elapsedMs } = await purge.stop();
  if (idleMs > 0) say(`the purge had nothing to delete for ${idleMs} ms, so this pair says less than it should`);
  return { load, deletedPerSecond: deleted / ((elapsedMs - idleMs) / 1_000) };
}
