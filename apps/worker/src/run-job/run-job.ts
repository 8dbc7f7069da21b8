import { reach, typeId } from '#libs/domain';
import type { Logger } from 'pino';
import { metrics } from '../metrics.js';
import type { AttemptOutcome } from './attempt.js';
import type { AttemptJob } from './attempt-job.js';
import type { AttemptEnd, EndAttempt } from './end-attempt.js';
import type { RunningJob } from './running-job.js';

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
    const outcome = await this.attemptJob.attempt(running);
    const workedMs = performance.now() - claimedAt;
    running.end();
    const end = await this.#end(running, outcome);
    metrics.attempts.inc({ end });
    this.#report(running, outcome, end, { workedMs, totalMs: performance.now() - claimedAt });
  }

  async #end(running: RunningJob, outcome: AttemptOutcome): Promise<AttemptEnd | 'unknown'> {
    try {
      return await this.endAttempt.end(running, outcome);
    } catch (error) {
      const { jobId, claim } = running.job;
      this.log.error({ err: error, jobId, claim }, 'attempt.end-unknown');
      return 'unknown';
    }
  }

  #report(
    running: RunningJob,
    outcome: AttemptOutcome,
    end: AttemptEnd | 'unknown',
    times: { readonly workedMs: number; readonly totalMs: number },
  ): void {
    const { job } = running;
    const fields = {
      job: typeId('job', job.jobId),
      account: typeId('acct', job.accountId),
      operation: job.operation,
      attempt: job.attempt,
      claim: job.claim,
      end,
      inputs: job.inputs.length,
      waitedMs: Math.round(job.waitedMs),
      workedMs: Math.round(times.workedMs),
      totalMs: Math.round(times.totalMs),
      ...detailOf(outcome),
    };
    const isTrouble = outcome.kind === 'broken' || end === 'unknown';
    this.log[isTrouble ? 'warn' : 'info'](fields, 'attempt.ended');
  }
}

function detailOf(outcome: AttemptOutcome): object {
  switch (outcome.kind) {
    case 'completed':
      return {
        outputs: outcome.outputs.length,
        outputBytes: outcome.outputs.reduce((sum, output) => sum + output.sizeBytes, 0),
      };
    case 'failed':
      return { code: outcome.error.code };
    case 'broken':
      return { err: outcome.cause };
    case 'stopped':
      return {};
  }
}
