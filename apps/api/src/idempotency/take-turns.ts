import type { ServerResponse } from 'node:http';
import { isKeyInUse, keyInUse } from './refusals.js';

/** The connection of a client that may leave while it waits. */
export type Client = Pick<ServerResponse, 'destroyed' | 'off' | 'once'>;

interface Waiting {
  readonly begin: () => void;
  readonly giveUp: () => void;
}

const mostWaitingForOne = 1_000;
const mostWaiting = 10_000;

/**
 * Lets one request of a key go to the database at a time; the others wait in memory, in order, and hold no connection. Whoever waited looks
 * first what came of those before. When one fails, the next one goes, unless another process was found to use the key; one whose client has left goes no
 * more.
 */
export class TakeTurns {
  private readonly queues = new Map<string, Waiting[]>();
  private waiting = 0;

  /** @param longestWaitMs after which a request that waits is told that its key is in use */
  constructor(private readonly longestWaitMs = 2_000) {}

  /**
   * @param work is told whether others had the turn before it
   * @throws RequestRefused `idempotency_key_in_use` after the longest wait, or when too many wait
   */
  async run<T>(name: string, client: Client, work: (hasWaited: boolean) => Promise<T>): Promise<T> {
    const hasWaited = this.queues.has(name);
    if (hasWaited) await this.wait(name, client);
    else this.queues.set(name, []);
    try {
      return await work(hasWaited);
    } catch (error) {
      if (isKeyInUse(error)) this.giveUp(name);
      throw error;
    } finally {
      this.pass(name);
    }
  }

  /** Those who wait would wait for the same again. */
  private giveUp(name: string): void {
    for (const { giveUp } of [...(this.queues.get(name) ?? [])]) giveUp();
  }

  private pass(name: string): void {
    const next = this.queues.get(name)?.[0];
    if (next === undefined) this.queues.delete(name);
    else next.begin();
  }

  private wait(name: string, client: Client): Promise<void> {
    const queue = this.queues.get(name) ?? [];
    if (client.destroyed || queue.length >= mostWaitingForOne || this.waiting >= mostWaiting) throw keyInUse();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timeout);
        client.off('close', giveUp);
        queue.splice(queue.indexOf(waiting), 1);
        this.waiting -= 1;
      };
      const giveUp = (): void => {
        leave();
        reject(keyInUse());
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const waiting: Waiting = { begin, giveUp };
      const timeout = setTimeout(giveUp, this.longestWaitMs);
      client.once('close', giveUp);
      queue.push(waiting);
      this.waiting += 1;
    });
  }
}
