import { memoryLimit, timeLimit } from '../document/failure/document-failure.js';
import type { OutputLimits } from '../document/write/output-budget.js';
import type { DocumentResult } from './document-task.js';
import { processorMs, residentBytes } from './proc/process-use.js';
import { putBehind } from './proc/put-behind.js';

/** Where the system does not bound the memory itself, this is all that does. */
const memoryCheckMs = 20;
/** A process that breaks with so much of its memory in use broke because it got no more: not all native code can say so. */
const fullShare = 0.75;
const processorCheckMs = 100;
/** Nearly all work ends sooner. What does not may wait for what does. */
const longWorkMs = 500;

export interface TaskLimits extends OutputLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly maxPages: number;
}

/** What a task is watched by. */
export interface WatchOptions extends TaskLimits {
  /** Whether the system itself refuses the processes more memory than they may have. */
  readonly isBounded: boolean;
  /** Whether there is more work than the machine can do at once. */
  isCrowded(): boolean;
}

/** What a watch may end. */
export interface Watched {
  readonly pid: number | undefined;
  kill(): void;
}

/**
 * Ends a child whose task takes too long, by the clock or in processor time, grows too large or is no longer wanted. A child that works
 * for long while others wait for a processor is put behind them.
 */
export class TaskWatch {
  /** What the task comes to because its child was ended; `null` as long as it was not. */
  verdict: DocumentResult | null = null;
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly processorMsBefore: number;
  private isBehind = false;
  private peakBytes = 0;
  private readonly onAbort = (): void => this.condemn({ outcome: 'stopped' });

  constructor(
    private readonly child: Watched,
    private readonly limits: WatchOptions,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.processorMsBefore = this.processorMs();
    this.timers = [
      setTimeout(() => this.condemnToTimeLimit(), limits.timeoutMs),
      setInterval(() => this.checkMemory(), memoryCheckMs),
      setInterval(() => this.checkProcessor(), processorCheckMs),
    ];
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Whether the process had nearly all the memory that it may have. */
  get wasFull(): boolean {
    return this.peakBytes > fullShare * this.limits.memoryBytes;
  }

  /** @returns whether its process was put behind others, which cannot be undone */
  stop(): boolean {
    for (const timer of this.timers) clearTimeout(timer);
    this.signal?.removeEventListener('abort', this.onAbort);
    return this.isBehind;
  }

  private checkMemory(): void {
    const { memoryBytes } = this.limits;
    const resident = this.child.pid === undefined ? null : residentBytes(this.child.pid);
    if (resident === null) return;
    this.peakBytes = Math.max(this.peakBytes, resident);
    if (resident > memoryBytes) this.condemn({ outcome: 'failed', failure: memoryLimit(memoryBytes) });
  }

  private checkProcessor(): void {
    const usedMs = this.usedMs();
    if (usedMs > this.limits.timeoutMs) this.condemnToTimeLimit();
    else if (usedMs > longWorkMs && this.limits.isCrowded()) this.putBehind();
  }

  private putBehind(): void {
    if (!this.isBehind && this.child.pid !== undefined) this.isBehind = putBehind(this.child.pid);
  }

  private usedMs(): number {
    return this.processorMs() - this.processorMsBefore;
  }

  private processorMs(): number {
    return this.child.pid === undefined ? 0 : (processorMs(this.child.pid) ?? 0);
  }

  private condemnToTimeLimit(): void {
    this.condemn({ outcome: 'failed', failure: timeLimit(this.limits.timeoutMs) });
  }

  private condemn(verdict: DocumentResult): void {
    if (this.verdict !== null) return;
    this.verdict = verdict;
    this.child.kill();
  }
}
