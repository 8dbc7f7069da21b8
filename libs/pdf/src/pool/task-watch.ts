import { memoryLimit, timeLimit } from '../document/document-failure.js';
import type { DocumentResult } from '../document-task.js';
import { residentBytes } from './resident-bytes.js';

const memoryCheckMs = 200;

export interface TaskLimits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly maxPages: number;
}

/** What a watch may end. */
interface Watched {
  readonly pid: number | undefined;
  kill(): void;
}

/**
 * Ends a child whose task takes too long, grows too large or is no longer wanted. The heap limit of the child does not count
 * buffers, so its resident memory is looked at from outside as well (where the system tells it).
 */
export class TaskWatch {
  /** What the task comes to because its child was ended; `null` as long as it was not. */
  verdict: DocumentResult | null = null;
  private readonly deadline: NodeJS.Timeout;
  private readonly memoryChecks: NodeJS.Timeout;
  private readonly onAbort = (): void => this.condemn({ outcome: 'aborted' });

  constructor(
    private readonly child: Watched,
    private readonly limits: TaskLimits,
    private readonly signal: AbortSignal | undefined,
  ) {
    const { timeoutMs } = limits;
    this.deadline = setTimeout(() => this.condemn({ outcome: 'failed', failure: timeLimit(timeoutMs) }), timeoutMs);
    this.memoryChecks = setInterval(() => void this.checkMemory(), memoryCheckMs);
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  stop(): void {
    clearTimeout(this.deadline);
    clearInterval(this.memoryChecks);
    this.signal?.removeEventListener('abort', this.onAbort);
  }

  private async checkMemory(): Promise<void> {
    const { memoryBytes } = this.limits;
    const resident = this.child.pid === undefined ? null : await residentBytes(this.child.pid);
    if (resident !== null && resident > memoryBytes)
      this.condemn({ outcome: 'failed', failure: memoryLimit(memoryBytes) });
  }

  private condemn(verdict: DocumentResult): void {
    if (this.verdict !== null) return;
    this.verdict = verdict;
    this.child.kill();
  }
}
