import { endsWithin } from '#libs/pace';
import { metrics } from '../metrics.js';
import type { RunningJob } from './running-job.js';

/** A job that only waits for the servers of its inputs takes no slot, up to so many of them. */
const mostFetching = 64;

/** The jobs at work in this process, about as many as it has slots, and beside them those that fetch. */
export class RunningJobs {
  readonly #jobs = new Set<RunningJob>();
  #onEmpty: (() => void)[] = [];

  constructor(private readonly slots: number) {}

  get free(): number {
    const fetching = this.all.filter(({ isFetching }) => isFetching).length;
    return this.slots - this.#jobs.size + Math.min(fetching, mostFetching);
  }

  get all(): readonly RunningJob[] {
    return [...this.#jobs];
  }

  add(job: RunningJob): void {
    this.#jobs.add(job);
    metrics.running.inc();
  }

  remove(job: RunningJob): void {
    if (!this.#jobs.delete(job)) return;
    metrics.running.dec();
    if (this.#jobs.size === 0) for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Waits until nothing is at work, at most so long; tells whether that is so. */
  async emptyWithin(ms: number): Promise<boolean> {
    if (this.#jobs.size === 0) return true;
    await endsWithin(new Promise<void>((resolve) => this.#onEmpty.push(resolve)), ms);
    return this.#jobs.size === 0;
  }
}
