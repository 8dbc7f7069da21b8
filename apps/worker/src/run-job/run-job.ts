import { SecretKeyError, typeId } from '#libs/domain';
import { reach } from '#libs/failpoints';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';
import type { AttemptJob } from './attempt-job.js';
import type { AttemptEnd, EndAttempt } from './end-attempt.js';
import { logged } from './logged.js';
import type { RunningJob } from './running-job.js';
import type { WorkResult } from './work-result.js';

/** Runs one attempt at a claimed job from its claim to its end. Never throws: what cannot be written is left to the rescue. */
export class RunJob {
  constructor(
    private readonly attemptJob: AttemptJob,
    private readonly endAttempt: EndAttempt,
    private readonly log: Logger,
  ) {}

  async run(running: RunningJob): Promise<void> {
    const claimedAt = performance.now();
    metrics.waitSeconds.observe(running.job.waitedMs / 1000);
    await reach('job.after-claim');
    const result = await this.attemptJob.attempt(running);
    const workedMs = performance.now() - claimedAt;
    running.end();
    const end = await this.#end(running, result);
    metrics.attempts.inc({ end });
    this.#report(running, result, end, { workedMs, totalMs: performance.now() - claimedAt });
  }

  async #end(running: RunningJob, result: WorkResult): Promise<AttemptEnd | 'unknown'> {
    try {
      return await this.endAttempt.end(running, result);
    } catch (error) {
      this.log.error({ err: error, ...logged(running.job) }, 'job.unsettled');
      return 'unknown';
    }
  }

  #report(
    running: RunningJob,
    result: WorkResult,
    end: AttemptEnd | 'unknown',
    times: { readonly workedMs: number; readonly totalMs: number },
  ): void {
    const { job } = running;
    const fields = {
      ...logged(job),
      accountId: typeId('acct', job.accountId),
      operation: job.operation,
      attempt: job.attempt,
      end,
      inputs: job.inputs.length,
      waitedMs: Math.round(job.waitedMs),
      workedMs: Math.round(times.workedMs),
      totalMs: Math.round(times.totalMs),
      ...detailOf(result),
    };
    if (result.kind === 'broken' && result.cause instanceof SecretKeyError)
      this.log.error({ err: result.cause, ...logged(job) }, 'job.password-not-opened');
    const isOurs = result.kind === 'broken' && result.error === undefined;
    const isTrouble = isOurs || end === 'unknown';
    this.log[isTrouble ? 'warn' : 'info'](fields, 'job.attempted');
  }
}

function detailOf(result: WorkResult): object {
  switch (result.kind) {
    case 'completed':
      return {
        outputs: result.outputs.length,
        outputBytes: result.outputs.reduce((sum, output) => sum + output.sizeBytes, 0),
      };
    case 'failed':
      return { code: result.error.code };
    case 'broken':
      return result.error === undefined
        ? { err: result.cause }
        : { code: result.error.code, reason: result.error.message };
    case 'stopped':
      return {};
  }
}
