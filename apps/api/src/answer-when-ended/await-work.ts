import type { JobReader } from '#libs/persistence';
import type { Logger } from 'pino';

const pollMs = 100;

/** Long enough to be asked for once, so that who waits for no time at all is told of what has ended already. */
const leastWaitMs = 2 * pollMs;

/** A job, all jobs of a batch, or the first attempt of a delivery; the id is a UUID. */
export interface Awaited {
  readonly kind: 'job' | 'batch' | 'dlv';
  readonly id: string;
}

interface Waiting extends Awaited {
  readonly end: (hasEnded: boolean) => void;
}

/**
 * Holds requests until their jobs, all jobs of their batches, or the first attempts of their deliveries have ended. One query for each poll asks for all of them, so waiting holds no
 * connection; nothing is asked while nobody waits.
 */
export class AwaitWork {
  private readonly waiting = new Set<Waiting>();
  private isPolling = false;
  private isClosed = false;

  constructor(
    private readonly jobs: Pick<JobReader, 'endedAmong'>,
    private readonly log: Logger,
  ) {}

  /** Resolves to whether it has ended; `false` when the time is up, the client has left or the process drains. */
  async ended(awaited: Awaited, waitMs: number, left: AbortSignal): Promise<boolean> {
    if (this.isClosed || left.aborted) return false;
    return new Promise((resolve) => this.wait(awaited, waitMs, left, resolve));
  }

  /** Ends every wait: held requests are answered with what was stored. */
  close(): void {
    this.isClosed = true;
    for (const waiting of this.waiting) waiting.end(false);
  }

  private wait(awaited: Awaited, waitMs: number, left: AbortSignal, resolve: (hasEnded: boolean) => void): void {
    const leave = () => waiting.end(false);
    const timeout = setTimeout(leave, Math.max(waitMs, leastWaitMs));
    const waiting: Waiting = {
      ...awaited,
      end: (hasEnded) => {
        clearTimeout(timeout);
        left.removeEventListener('abort', leave);
        this.waiting.delete(waiting);
        resolve(hasEnded);
      },
    };
    left.addEventListener('abort', leave, { once: true });
    this.waiting.add(waiting);
    if (!this.isPolling) void this.poll();
  }

  /** Asks at once for the first who waits, so what has ended already is answered without delay. */
  private async poll(): Promise<void> {
    this.isPolling = this.waiting.size > 0;
    if (!this.isPolling) return;
    await this.ask([...this.waiting]);
    setTimeout(() => void this.poll(), pollMs);
  }

  private async ask(asked: readonly Waiting[]): Promise<void> {
    try {
      const inQuestion = { jobs: idsOf(asked, 'job'), batches: idsOf(asked, 'batch'), deliveries: idsOf(asked, 'dlv') };
      const ended = new Set(await this.jobs.endedAmong(inQuestion));
      for (const waiting of asked) if (ended.has(waiting.id)) waiting.end(true);
    } catch (error) {
      this.log.warn({ err: error, waiting: this.waiting.size }, 'work.not-read');
    }
  }
}

function idsOf(asked: readonly Waiting[], kind: Awaited['kind']): readonly string[] {
  return [...new Set(asked.flatMap((waiting) => (waiting.kind === kind ? [waiting.id] : [])))];
}
