import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../support/package-root.js';
import type { ReceiverNotice, ReceiverOrder } from './receive-deliveries.js';

/** The receivers in their own process; it ends with this one. */
export class ReceiverProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly ports: Readonly<Record<string, number>>,
  ) {}

  static async start(historyPath: string, seed: string): Promise<ReceiverProcess> {
    const entry = join(packageRoot, 'dist/test/faults/receive-deliveries.js');
    const child = fork(entry, [historyPath, seed]);
    const { ports } = await noticeOf(child, 'listening');
    return new ReceiverProcess(child, ports);
  }

  /** The path names the endpoint. */
  url(name: string): string {
    return `http://127.0.0.1:${this.ports[name] ?? 0}/${name}`;
  }

  /** Resolves when the order is carried out. */
  async order(order: ReceiverOrder): Promise<void> {
    const done = noticeOf(this.child, 'done');
    this.child.send(order);
    await done;
  }

  /** Waits for a request that will never be answered, and gives the process that sent it; `undefined` when none came in time. */
  async hangingSender(withinMs: number): Promise<number | undefined> {
    const over = AbortSignal.timeout(withinMs);
    return noticeOf(this.child, 'hanging', over).then(
      ({ pid }) => pid,
      () => undefined,
    );
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}

type Notice<K extends ReceiverNotice['kind']> = Extract<ReceiverNotice, { readonly kind: K }>;

/** The next notice of a kind. @throws when the receivers end before, or the signal is aborted */
async function noticeOf<K extends ReceiverNotice['kind']>(
  child: ChildProcess,
  kind: K,
  signal = new AbortController().signal,
): Promise<Notice<K>> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
      settle();
    };
    const onMessage = (notice: ReceiverNotice): void => {
      if (notice.kind === kind) end(() => resolve(notice as Notice<K>));
    };
    const onExit = (): void => end(() => reject(new Error('the receivers have ended')));
    child.on('message', onMessage);
    child.once('exit', onExit);
    signal.addEventListener('abort', () => end(() => reject(new Error(`nothing was ${kind}`))), { once: true });
  });
}
