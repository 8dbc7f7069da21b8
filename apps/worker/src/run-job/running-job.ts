import type { ClaimedJob, ClaimProgress } from '#libs/persistence';

/** Why the work on a job is stopped: its claim does not hold any more, or the process ends. */
export type StopReason = 'lost' | 'shutdown';

/** A claimed job while it is at work in this process. */
export class RunningJob {
  readonly #stop = new AbortController();
  #done = 0;
  #total: number;
  #stopReason: StopReason | null = null;
  #isEnding = false;
  #isFetching = false;

  constructor(readonly job: ClaimedJob) {
    this.#total = job.progressTotal;
  }

  /** Aborts when the work is to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get stopReason(): StopReason | null {
    return this.#stopReason;
  }

  get progress(): ClaimProgress {
    const { jobId, claim } = this.job;
    return { jobId, claim, done: this.#done, total: this.#total };
  }

  /** Whether it waits for the servers of its inputs. */
  get isFetching(): boolean {
    return this.#isFetching;
  }

  /** Runs what fetches the inputs that the job names by URL. */
  async fetch<T>(work: () => Promise<T>): Promise<T> {
    this.#isFetching = this.job.inputs.some(({ url }) => url !== null);
    try {
      return await work();
    } finally {
      this.#isFetching = false;
    }
  }

  report(done: number, total: number): void {
    this.#done = done;
    this.#total = total;
  }

  /** The work is over and its end is being written: there is nothing left to stop. */
  end(): void {
    this.#isEnding = true;
  }

  /** Stops the work; false when it is over, or was stopped before. */
  stop(reason: StopReason): boolean {
    if (this.#isEnding || this.#stopReason !== null) return false;
    this.#stopReason = reason;
    this.#stop.abort(new Error(`the work was stopped: ${reason}`));
    return true;
  }
}
