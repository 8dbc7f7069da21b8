import { Loop, type LoopOptions } from '#libs/pace';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';

const failedSteps = new Counter({
  name: 'pdfonce_failed_steps_total',
  help: 'Steps of the loops of a process that failed and are tried again.',
  labelNames: ['loop'],
});

/** A loop whose failures are counted and logged under its name: the first in a row as a warning, the others for those who debug. */
export function reportedLoop(log: Logger, name: string, options: Omit<LoopOptions, 'onError'>): Loop {
  return new Loop({
    ...options,
    onError: (error, failures) => {
      failedSteps.inc({ loop: name });
      log[failures === 1 ? 'warn' : 'debug']({ err: error, loop: name, failures }, 'loop.failed');
    },
  });
}
