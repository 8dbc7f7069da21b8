import { manualClock } from '../../../../test/client/manual-clock.js';
import type { CallOptions } from '../client-options.js';
import { DeadlineExceededError } from '../errors/deadline-exceeded-error.js';
import { RequestAbortedError } from '../errors/request-aborted-error.js';
import { pollUntilEnded } from './poll-until-ended.js';

describe('waiting for an end', () => {
  const looks: CallOptions[] = [];
  const endingAt = (last: number) => ({
    path: '/v1/jobs/job_1',
    read: async (options: CallOptions) => looks.push(options),
    hasEnded: (look: number) => look >= last,
  });

  beforeEach(() => void looks.splice(0));

  it('looks at once, then less and less often', async () => {
    const clock = manualClock(0);
    expect(await pollUntilEnded(endingAt(1), {}, clock)).toBe(1);
    expect(clock.pauses).toEqual([]);
    looks.splice(0);
    expect(await pollUntilEnded(endingAt(7), {}, clock)).toBe(7);
    expect(clock.pauses).toEqual([100, 200, 400, 800, 1_600, 2_000]);
  });

  it('goes on through outages until its deadline', async () => {
    await pollUntilEnded(endingAt(3), { deadlineMs: 1_000 }, manualClock(0));
    expect(looks.map(({ retries, deadlineMs }) => [retries, deadlineMs])).toEqual([
      [Infinity, 1_000],
      [Infinity, 900],
      [Infinity, 700],
    ]);
  });

  it('never looks again when its deadline is over', async () => {
    const waiting = pollUntilEnded(endingAt(100), { deadlineMs: 1_000 }, manualClock(0));
    await expect(waiting).rejects.toBeInstanceOf(DeadlineExceededError);
    expect(looks).toHaveLength(4);
  });

  it('ends when its caller wants it to', async () => {
    const signal = AbortSignal.abort('enough');
    const waiting = pollUntilEnded(endingAt(2), { signal }, manualClock());
    await expect(waiting).rejects.toBeInstanceOf(RequestAbortedError);
    await expect(waiting).rejects.toMatchObject({ cause: 'enough' });
  });
});
