import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Loop } from '#libs/pace';
import type { DeliveryBacklog } from '#libs/persistence';
import { reportedLoop } from '#libs/process';
import { metrics } from '../metrics.js';

/** What a watch works with. */
export interface BacklogWatchOptions {
  readonly read: () => Promise<DeliveryBacklog>;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Shows what waits to be delivered in the metrics of this process; every dispatcher shows the same. */
export class BacklogWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #loop: Loop;

  constructor(private readonly options: BacklogWatchOptions) {
    const { log, everyMs } = options;
    this.#loop = reportedLoop(log, 'watch', { everyMs, step: () => this.#watch() });
  }

  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#loop.stop();
  }

  async #watch(): Promise<void> {
    const { lagSeconds, failingEndpoints, parked, oldestSeconds } = await this.options.read();
    for (const [rank, seconds] of Object.entries(lagSeconds)) metrics.lag.set({ rank }, seconds);
    metrics.failingEndpoints.set(failingEndpoints);
    metrics.parked.set(parked);
    metrics.oldest.set(oldestSeconds);
  }
}
