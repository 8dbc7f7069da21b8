import type { PruneStore } from '#libs/persistence';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';

const batchSize = 500;
const mostBatches = 20;
/** Each may take a thousand jobs with it. */
const batchesOfJobs = 10;
const outboxAgeMs = 24 * 60 * 60 * 1000;

/** Takes at most `limit` rows at once. */
interface Step {
  readonly limit: number;
  readonly take: (limit: number) => Promise<number>;
}

/** Removes rows that are past their time, in bounded batches: keys before the jobs that they name. */
export class Prune {
  readonly #steps: Readonly<Record<string, Step>>;

  constructor(
    store: PruneStore,
    eventTtlMs: number,
    private readonly log: Logger,
  ) {
    this.#steps = {
      keys: { limit: batchSize, take: (limit) => store.keys(limit) },
      outputs: { limit: batchSize, take: (limit) => store.outputs(limit) },
      files: { limit: batchSize, take: (limit) => store.files(limit) },
      jobs: { limit: batchSize, take: (limit) => store.jobs(limit) },
      batches: { limit: batchesOfJobs, take: (limit) => store.batches(limit) },
      events: { limit: batchSize, take: (limit) => store.events(limit, eventTtlMs) },
      recoveries: { limit: batchSize, take: (limit) => store.recoveries(limit, eventTtlMs) },
      outbox: { limit: batchSize, take: (limit) => store.outbox(limit, outboxAgeMs) },
    };
  }

  /** Does every step, also when another fails. @throws the first error */
  async prune(signal: AbortSignal): Promise<void> {
    const errors: unknown[] = [];
    const pruned: Record<string, number> = {};
    for (const [kind, step] of Object.entries(this.#steps)) {
      try {
        const rows = await repeat(step, signal);
        if (rows > 0) pruned[kind] = rows;
        metrics.pruned.inc({ kind }, rows);
      } catch (error) {
        errors.push(error);
      }
    }
    if (Object.keys(pruned).length > 0) this.log.info({ pruned }, 'rows.pruned');
    if (errors.length > 0) throw errors[0];
  }
}

async function repeat({ limit, take }: Step, signal: AbortSignal): Promise<number> {
  let rows = 0;
  for (let batch = 0; batch < mostBatches && !signal.aborted; batch += 1) {
    const taken = await take(limit);
    rows += taken;
    if (taken < limit) break;
  }
  return rows;
}
