import type { JobReader } from '#libs/persistence';
import type { Logger } from 'pino';

const pollMs = 100;

interface Waiting {
  readonly jobId: string;
  readonly end: (isTerminal: boolean) => void;
}

/**
 * Holds requests until their jobs have ended. One query for each poll asks for all of them, so waiting holds no connection; nothing is asked
 * while nobody waits.
 */
export class AwaitJobs {
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly jobs: JobReader,
    private readonly log: Logger,
  ) {}

  /** Resolves to whether the job has ended; `false` when the time is up, the client has left or the process drains. */
  async ended(jobId: string, waitMs: number, left: AbortSignal): Promise<boolean> {
    if ((await this.jobs.terminalAmong([jobId])).length > 0) return true;
    if (this.isClosed || left.aborted || waitMs <= 0) return false;
    return new Promise((resolve) => this.wait(jobId, waitMs, left, resolve));
  }

  /** Ends every wait: held requests are answered with what was stored. */
  close(): void {
    this.isClosed = true;
    for (const waiting of this.waiting) waiting.end(false);
  }

  private wait(jobId: string, waitMs: number, left: AbortSignal, resolve: (isTerminal: boolean) => void): void {
    const leave = () => waiting.end(false);
    const timeout = setTimeout(leave, waitMs);
    const waiting: Waiting = {
      jobId,
      end: (isTerminal) => {
        clearTimeout(timeout);
        left.removeEventListener('abort', leave);
        this.waiting.delete(waiting);
        resolve(isTerminal);
      },
    };
    left.addEventListener('abort', leave, { once: true });
    this.waiting.add(waiting);
    this.timer ??= setTimeout(() => void this.poll(), pollMs);
  }

  private async poll(): Promise<void> {
    try {
      const asked = [...this.waiting];
      const ended = new Set(await this.jobs.terminalAmong([...new Set(asked.map(({ jobId }) => jobId))]));
      for (const waiting of asked) if (ended.has(waiting.jobId)) waiting.end(true);
    } catch (error) {
      this.log.warn({ err: error, waiting: this.waiting.size }, 'jobs.not-read');
    }
    this.timer = this.waiting.size > 0 ? setTimeout(() => void this.poll(), pollMs) : undefined;
  }
}
