import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Loop } from '#libs/pace';
import type { SweptDeliveries } from '#libs/persistence';
import { reportedLoop } from '#libs/process';
import { metrics } from '../metrics.js';

const batch = 500;
const restEveryMs = 1_000;

/** What a sweeper works with. */
export interface DeliverySweeperOptions {
  readonly sweep: (limit: number) => Promise<SweptDeliveries>;
  readonly rest: (limit: number) => Promise<number>;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Ends, every few seconds, the deliveries that nobody will send, and takes endpoints out of the claim's sight that have nothing due. */
export class DeliverySweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #loops: readonly Loop[];

  constructor(private readonly options: DeliverySweeperOptions) {
    const { log, everyMs } = options;
    this.#loops = [
      reportedLoop(log, 'sweep', { everyMs, step: () => this.#sweep() }),
      reportedLoop(log, 'rest', { everyMs: restEveryMs, step: () => this.#rest() }),
    ];
  }

  onApplicationBootstrap(): void {
    for (const loop of this.#loops) loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  async #rest(): Promise<'again' | void> {
    if ((await this.options.rest(batch)) >= batch) return 'again';
  }

  /** A full batch has more behind it. */
  async #sweep(): Promise<'again' | void> {
    const swept = await this.options.sweep(batch);
    const total = Object.values(swept).reduce((sum, rows) => sum + rows, 0);
    for (const [state, rows] of Object.entries(swept)) metrics.swept.inc({ state }, rows);
    if (total > 0) this.options.log.info(swept, 'deliveries.swept');
    if (total >= batch) return 'again';
  }
}
