import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import type { SweptDeliveries } from '#libs/persistence';
import { metrics } from '../metrics.js';
import { Bell } from './bell.js';

const batch = 500;

/** What a sweeper works with. */
export interface DeliverySweeperOptions {
  readonly sweep: (limit: number) => Promise<SweptDeliveries>;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Ends, every few seconds, the deliveries that nobody will send. */
export class DeliverySweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #bell = new Bell();
  #isStopping = false;
  #loop: Promise<void> | undefined;

  constructor(private readonly options: DeliverySweeperOptions) {}

  onApplicationBootstrap(): void {
    this.#loop ??= this.#run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    this.#bell.ring();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const isMore = await this.#sweep();
      if (!isMore) await this.#bell.sleep(this.options.everyMs);
    }
  }

  /** @returns whether a batch was full */
  async #sweep(): Promise<boolean> {
    try {
      const swept = await this.options.sweep(batch);
      const total = swept.cancelled + swept.skipped + swept.exhausted;
      for (const [state, rows] of Object.entries(swept)) metrics.swept.inc({ state }, rows);
      if (total > 0) this.options.log.info(swept, 'deliveries.swept');
      return total >= batch;
    } catch (error) {
      this.options.log.debug({ err: error }, 'deliveries.not-swept');
      return false;
    }
  }
}
