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
    const notice = await nextNotice(child);
    if (!('ports' in notice)) throw new Error('the receivers did not say where they listen');
    return new ReceiverProcess(child, notice.ports);
  }

  /** The path names the endpoint. */
  url(name: string): string {
    return `http://127.0.0.1:${this.ports[name] ?? 0}/${name}`;
  }

  /** Resolves when the order is carried out. */
  async order(order: ReceiverOrder): Promise<void> {
    const done = nextNotice(this.child);
    this.child.send(order);
    await done;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}

async function nextNotice(child: ChildProcess): Promise<ReceiverNotice> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('the receivers have ended');
  });
  const [notice] = (await Promise.race([once(child, 'message'), ended])) as [ReceiverNotice];
  return notice;
}
