import { jest } from '@jest/globals';
import { pino } from 'pino';
import { AwaitJobs } from './await-jobs.js';

const log = pino({ level: 'silent' });
const stays = new AbortController().signal;

/** Jobs that end when they are told to, and what was asked about them. */
function fakeJobs() {
  const ended = new Set<string>();
  const asked: (readonly [readonly string[], readonly string[]])[] = [];
  const endedAmong = async (jobIds: readonly string[], batchIds: readonly string[]) => {
    asked.push([jobIds, batchIds]);
    return [...jobIds, ...batchIds].filter((id) => ended.has(id));
  };
  return { ended, asked, awaitJobs: new AwaitJobs({ endedAmong }, log) };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('AwaitJobs', () => {
  it('asks at once for the first, then every 100 ms in one query for all, each job and batch once', async () => {
    const { ended, asked, awaitJobs } = fakeJobs();
    const waits = [
      awaitJobs.ended({ kind: 'job', id: 'a' }, 5_000, stays),
      awaitJobs.ended({ kind: 'job', id: 'a' }, 5_000, stays),
      awaitJobs.ended({ kind: 'job', id: 'b' }, 5_000, stays),
      awaitJobs.ended({ kind: 'batch', id: 'c' }, 5_000, stays),
    ];
    expect(asked).toEqual([[['a'], []]]);
    await jest.advanceTimersByTimeAsync(250);
    expect(asked.slice(1)).toEqual([
      [['a', 'b'], ['c']],
      [['a', 'b'], ['c']],
    ]);
    ['a', 'b', 'c'].forEach((id) => ended.add(id));
    await jest.advanceTimersByTimeAsync(100);
    expect(await Promise.all(waits)).toEqual([true, true, true, true]);
  });

  it('asks nothing while nobody waits', async () => {
    const { asked, awaitJobs } = fakeJobs();
    const leaving = new AbortController();
    const left = awaitJobs.ended({ kind: 'job', id: 'a' }, 60_000, leaving.signal);
    await jest.advanceTimersByTimeAsync(100);
    leaving.abort();
    expect(await left).toBe(false);
    const before = asked.length;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(before);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives up when the time is over, and asks once for who has none', async () => {
    const { asked, awaitJobs } = fakeJobs();
    const [late, hasNoTime] = [
      awaitJobs.ended({ kind: 'job', id: 'a' }, 1_000, stays),
      awaitJobs.ended({ kind: 'job', id: 'b' }, 0, stays),
    ];
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await Promise.all([late, hasNoTime])).toEqual([false, false]);
    expect(asked.some(([jobIds]) => jobIds.includes('b'))).toBe(true);
  });

  it('does not wait for a client that has left already', async () => {
    const { asked, awaitJobs } = fakeJobs();
    expect(await awaitJobs.ended({ kind: 'job', id: 'a' }, 60_000, AbortSignal.abort())).toBe(false);
    expect(asked).toEqual([]);
  });
});
