import { manualClock } from '../../../../test/client/manual-clock.js';
import { usualLimits } from '../client-options.js';
import { JobFailedError } from '../errors/job-failed-error.js';
import { Requests } from '../request/requests.js';
import { SendRequest } from '../request/send-request.js';
import type { Job } from '../wire/job.js';
import { Jobs } from './jobs.js';

describe('waiting for a job', () => {
  const job = (state: Job['state'], error: Job['error'] = null) =>
    ({ id: 'job_1', state, error, idempotency_key: 'order-42' }) as Job;
  const notAPdf = { code: 'not_a_pdf', message: 'no PDF', retryable: false, input: 0, limit: null };

  function jobsOf(...states: readonly Job[]) {
    let reads = 0;
    const fetch = async () => Response.json(states[(reads += 1) - 1]);
    const clock = manualClock();
    const sending = new SendRequest({ url: 'http://service', apiKey: 'a', fetch }, clock);
    return { jobs: new Jobs(new Requests(sending, usualLimits), clock), reads: () => reads };
  }

  it('reads it until it has ended, however it does', async () => {
    const { jobs, reads } = jobsOf(job('queued'), job('processing'), job('failed', notAPdf));
    expect((await jobs.waitFor('job_1')).state).toBe('failed');
    expect(reads()).toBe(3);
  });

  it('reads nothing when it is known to have ended', async () => {
    const { jobs, reads } = jobsOf();
    expect((await jobs.waitFor(job('completed'))).state).toBe('completed');
    expect(reads()).toBe(0);
  });

  it('throws what a job failed with, when that is wanted', async () => {
    const { jobs } = jobsOf(job('failed', notAPdf));
    const error = await jobs.waitFor(job('queued'), { throwOnFailure: true }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JobFailedError);
    expect(error).toMatchObject({
      code: 'not_a_pdf',
      retryable: false,
      idempotencyKey: 'order-42',
      job: { id: 'job_1' },
    });
    expect((error as Error).message).toBe('job_1 failed: not_a_pdf: no PDF (idempotency key order-42)');
  });

  it('counts a cancelled job as one that failed, and a completed one not', async () => {
    await expect(jobsOf(job('cancelled')).jobs.waitFor('job_1', { throwOnFailure: true })).rejects.toMatchObject({
      code: 'job_cancelled',
    });
    expect((await jobsOf(job('completed')).jobs.waitFor('job_1', { throwOnFailure: true })).state).toBe('completed');
  });
});
