/** What clients and receivers have seen so far: which jobs were accepted, and where the end of each has been told. */
export class Ledger {
  readonly #acceptedAt = new Map<string, number>();
  readonly #told = new Map<string, Set<string>>();
  #lastAt = performance.now();

  /** @param channels every channel on which the end of a job must be told */
  constructor(private readonly channels: readonly string[]) {}

  accept(jobId: string): void {
    if (!this.#acceptedAt.has(jobId)) this.#acceptedAt.set(jobId, performance.now());
    this.#note();
  }

  tell(channel: string, jobId: string): void {
    const channels = this.#told.get(jobId) ?? new Set();
    this.#told.set(jobId, channels.add(channel));
    this.#note();
  }

  get accepted(): readonly string[] {
    return [...this.#acceptedAt.keys()];
  }

  /** Accepted jobs whose end was told nowhere. */
  get running(): number {
    return this.accepted.filter((jobId) => !this.#told.has(jobId)).length;
  }

  /** Those of them that were accepted in the last so many milliseconds: one that waits for its next attempt is none of them. */
  runningSince(ms: number): number {
    const since = performance.now() - ms;
    const accepted = [...this.#acceptedAt].filter(([jobId, at]) => at >= since && !this.#told.has(jobId));
    return accepted.length;
  }

  /** Accepted jobs whose end was not told everywhere. */
  get untold(): number {
    return this.accepted.filter((jobId) => (this.#told.get(jobId)?.size ?? 0) < this.channels.length).length;
  }

  /** Time since anything was seen, in milliseconds. */
  get silentMs(): number {
    return performance.now() - this.#lastAt;
  }

  #note(): void {
    this.#lastAt = performance.now();
  }
}
