import { jest } from '@jest/globals';
import type { WorkInQuestion } from '#libs/persistence';
import { pino } from 'pino';
import { AwaitWork } from './await-work.js';

const log = pino({ level: 'silent' });
const stays = new AbortController().signal;

/** Work that ends when it is told to, and what was asked about it. */
function fakeWork() {
  const ended = new Set<string>();
  const asked: WorkInQuestion[] = [];
  const endedAmong = async (inQuestion: WorkInQuestion) => {
    asked.push(inQuestion);
    const { jobs, batches, deliveries } = inQuestion;
    return [...jobs, ...batches, ...deliveries].filter((id) => ended.has(id));
  };
  return { ended, asked, awaitWork: new AwaitWork({ endedAmong }, log) };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('AwaitWork', () => {
  it('asks at once for the first, then every 100 ms in one query for all, each thing once', async () => {
    const { ended, asked, awaitWork } = fakeWork();
    const waits = [
      awaitWork.ended({ kind: 'job', id: 'a' }, 5_000, stays),
      awaitWork.ended({ kind: 'job', id: 'a' }, 5_000, stays),
      awaitWork.ended({ kind: 'job', id: 'b' }, 5_000, stays),
      awaitWork.ended({ kind: 'batch', id: 'c' }, 5_000, stays),
      awaitWork.ended({ kind: 'dlv', id: 'd' }, 5_000, stays),
    ];
    expect(asked).toEqual([{ jobs: ['a'], batches: [], deliveries: [] }]);
    await jest.advanceTimersByTimeAsync(250);
    const all = { jobs: ['a', 'b'], batches: ['c'], deliveries: ['d'] };
    expect(asked.slice(1)).toEqual([all, all]);
    ['a', 'b', 'c', 'd'].forEach((id) => ended.add(id));
    await jest.advanceTimersByTimeAsync(100);
    expect(await Promise.all(waits)).toEqual([true, true, true, true, true]);
  });

  it('asks nothing while nobody waits', async () => {
    const { asked, awaitWork } = fakeWork();
    const leaving = new AbortController();
    const left = awaitWork.ended({ kind: 'job', id: 'a' }, 60_000, leaving.signal);
    await jest.advanceTimersByTimeAsync(100);
    leaving.abort();
    expect(await left).toBe(false);
    const before = asked.length;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(before);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives up when the time is over, and asks once for who has none', async () => {
    const { asked, awaitWork } = fakeWork();
    const [late, hasNoTime] = [
      awaitWork.ended({ kind: 'job', id: 'a' }, 1_000, stays),
      awaitWork.ended({ kind: 'job', id: 'b' }, 0, stays),
    ];
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await Promise.all([late, hasNoTime])).toEqual([false, false]);
    expect(asked.some(({ jobs }) => jobs.includes('b'))).toBe(true);
  });

  it('does not wait for a client that has left already', async () => {
    const { asked, awaitWork } = fakeWork();
    expect(await awaitWork.ended({ kind: 'job', id: 'a' }, 60_000, AbortSignal.abort())).toBe(false);
    expect(asked).toEqual([]);
  });
});
