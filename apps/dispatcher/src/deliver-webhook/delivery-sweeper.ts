import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Loop } from '#libs/pace';
import type { SweptDeliveries } from '#libs/persistence';
import { reportedLoop } from '#libs/process';
import { metrics } from '../metrics.js';

const batch = 500;

/** What a sweeper works with. */
export interface DeliverySweeperOptions {
  readonly sweep: (limit: number) => Promise<SweptDeliveries>;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Ends, every few seconds, the deliveries that nobody will send. */
export class DeliverySweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #loop: Loop;

  constructor(private readonly options: DeliverySweeperOptions) {
    const { log, everyMs } = options;
    this.#loop = reportedLoop(log, 'sweep', { everyMs, step: () => this.#sweep() });
  }

  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#loop.stop();
  }

  /** A full batch has more behind it. */
  async #sweep(): Promise<'again' | void> {
    const swept = await this.options.sweep(batch);
    const total = swept.cancelled + swept.skipped + swept.exhausted;
    for (const [state, rows] of Object.entries(swept)) metrics.swept.inc({ state }, rows);
    if (total > 0) this.options.log.info(swept, 'deliveries.swept');
    if (total >= batch) return 'again';
  }
}
