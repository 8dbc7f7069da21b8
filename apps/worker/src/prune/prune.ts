import { unhurried } from '#libs/pace';
import type { PruneStore } from '#libs/persistence';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';

const batchSize = 500;
/** Each may take a thousand jobs with it. */
const batchesOfJobs = 10;
const outboxAgeMs = 24 * 60 * 60 * 1000;

/** Takes at most `limit` rows of a kind at once. */
interface Step {
  readonly kind: string;
  readonly limit: number;
  readonly take: (limit: number) => Promise<number>;
}

/** How many rows of each kind were removed. */
export type Pruned = Readonly<Record<string, number>>;

/** Removes rows that are past their time, in bounded batches: keys before the jobs that they name. */
export class Prune {
  readonly #steps: readonly Step[];

  constructor(
    store: PruneStore,
    eventTtlMs: number,
    private readonly log: Logger,
  ) {
    this.#steps = [
      { kind: 'keys', limit: batchSize, take: (limit) => store.keys(limit) },
      { kind: 'outputs', limit: batchSize, take: (limit) => store.outputs(limit) },
      { kind: 'files', limit: batchSize, take: (limit) => store.files(limit) },
      { kind: 'jobs', limit: batchSize, take: (limit) => store.jobs(limit) },
      { kind: 'batches', limit: batchesOfJobs, take: (limit) => store.batches(limit) },
      { kind: 'events', limit: batchSize, take: (limit) => store.events(limit, eventTtlMs) },
      { kind: 'recoveries', limit: batchSize, take: (limit) => store.recoveries(limit, eventTtlMs) },
      { kind: 'outbox', limit: batchSize, take: (limit) => store.outbox(limit, outboxAgeMs) },
    ];
  }

  /** Goes round the kinds, a batch of each, until nothing is left of any, also when one fails. @throws the first error */
  async prune(signal: AbortSignal): Promise<Pruned> {
    const pass: Pass = { signal, pruned: {}, errors: [] };
    for (let steps = this.#steps; steps.length > 0;) steps = await unfinishedOf(steps, pass);
    const { pruned, errors } = pass;
    if (Object.keys(pruned).length > 0) this.log.info({ pruned }, 'rows.pruned');
    if (errors.length > 0) throw errors[0];
    return pruned;
  }
}

interface Pass {
  readonly signal: AbortSignal;
  readonly pruned: Record<string, number>;
  readonly errors: unknown[];
}

/** Takes a batch of each, and gives those of which there may be more. */
async function unfinishedOf(steps: readonly Step[], pass: Pass): Promise<readonly Step[]> {
  const unfinished: Step[] = [];
  for (const step of steps) {
    if (pass.signal.aborted) return [];
    if ((await takeBatch(step, pass)) === step.limit) unfinished.push(step);
  }
  return unfinished;
}

async function takeBatch({ kind, limit, take }: Step, { signal, pruned, errors }: Pass): Promise<number> {
  try {
    const rows = await unhurried(() => take(limit), signal);
    metrics.pruned.inc({ kind }, rows);
    if (rows > 0) pruned[kind] = (pruned[kind] ?? 0) + rows;
    return rows;
  } catch (error) {
    errors.push(error);
    return 0;
  }
}
