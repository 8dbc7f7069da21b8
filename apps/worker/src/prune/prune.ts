import type { PruneStore } from '#libs/persistence';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';

const batchSize = 500;
const mostBatches = 20;
const outboxAgeMs = 24 * 60 * 60 * 1000;

/** Removes rows that are past their time, in bounded batches: keys before the jobs that they name. */
export class Prune {
  readonly #steps: Readonly<Record<string, () => Promise<number>>>;

  constructor(
    store: PruneStore,
    eventTtlMs: number,
    private readonly log: Logger,
  ) {
    this.#steps = {
      keys: () => store.keys(batchSize),
      outputs: () => store.outputs(batchSize),
      files: () => store.files(batchSize),
      jobs: () => store.jobs(batchSize),
      events: () => store.events(batchSize, eventTtlMs),
      outbox: () => store.outbox(batchSize, outboxAgeMs),
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

async function repeat(step: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let rows = 0;
  for (let batch = 0; batch < mostBatches && !signal.aborted; batch += 1) {
    const taken = await step();
    rows += taken;
    if (taken < batchSize) break;
  }
  return rows;
}
