import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { typeId } from '#libs/domain';
import type { Loop } from '#libs/pace';
import type { RecoveryStep, RecoveryStepLimits } from '#libs/persistence';
import { reportedLoop } from '#libs/process';
import { metrics } from '../metrics.js';

const limits: RecoveryStepLimits = { events: 500, mostDue: 1_000 };

/** What a runner works with. */
export interface RecoveryRunnerOptions {
  readonly step: (limits: RecoveryStepLimits) => Promise<RecoveryStep | null>;
  readonly everyMs: number;
  /** Told that deliveries have become due. */
  readonly onDue: () => void;
  readonly log: Logger;
}

/** Makes the steps of recoveries, whichever has waited longest; any number of dispatchers may. */
export class RecoveryRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #loop: Loop;

  constructor(private readonly options: RecoveryRunnerOptions) {
    const { log, everyMs } = options;
    this.#loop = reportedLoop(log, 'recover', { everyMs, step: () => this.#step() });
  }

  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#loop.stop();
  }

  async #step(): Promise<'again' | void> {
    const { step, onDue, log } = this.options;
    const made = await step(limits);
    if (made === null) return;
    const { recoveryId, endpointId, state, rearmed, inserted } = made;
    metrics.recovered.inc({ kind: 'rearmed' }, rearmed);
    metrics.recovered.inc({ kind: 'inserted' }, inserted);
    if (rearmed + inserted > 0) onDue();
    if (state !== 'running') {
      log.info(
        { recoveryId: typeId('rec', recoveryId), endpointId: typeId('ep', endpointId), state },
        'recovery.ended',
      );
    }
    return 'again';
  }
}
