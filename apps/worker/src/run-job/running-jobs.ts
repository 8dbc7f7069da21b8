import { endsWithin } from '#libs/pace';
import { metrics } from '../metrics.js';
import type { RunningJob } from './running-job.js';

/** The jobs at work in this process, at most as many as it has slots. */
export class RunningJobs {
  readonly #jobs = new Set<RunningJob>();
  #onEmpty: (() => void)[] = [];

  constructor(private readonly slots: number) {}

  get free(): number {
    return this.slots - this.#jobs.size;
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
