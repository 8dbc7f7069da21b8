import { jest } from '@jest/globals';
import { AttemptWatch } from './attempt-watch.js';

describe('the watch over an attempt', () => {
  const watchOver = (limits: Partial<ConstructorParameters<typeof AttemptWatch>[0]> = {}) =>
    new AttemptWatch({ silenceMs: 1_000, remainingMs: 10_000, signal: undefined, ...limits });

  beforeEach(() => void jest.useFakeTimers());

  afterEach(() => void jest.useRealTimers());

  it('ends it after a silence', () => {
    const watch = watchOver();
    jest.advanceTimersByTime(999);
    expect([watch.endedBy, watch.isOver]).toEqual([null, false]);
    jest.advanceTimersByTime(1);
    expect([watch.endedBy, watch.isOver, watch.signal.aborted]).toEqual(['silence', true, true]);
    expect((watch.signal.reason as Error).message).toBe('nothing was sent or received for 1000 ms');
  });

  it('counts the silence from the last touch', () => {
    const watch = watchOver();
    for (let touches = 0; touches < 5; touches += 1) {
      jest.advanceTimersByTime(900);
      watch.touch();
    }
    expect(watch.endedBy).toBeNull();
    jest.advanceTimersByTime(1_000);
    expect(watch.endedBy).toBe('silence');
  });

  it('ends it at the deadline, however busy it is', () => {
    const watch = watchOver({ remainingMs: 3_000 });
    for (let touches = 0; touches < 6; touches += 1) {
      jest.advanceTimersByTime(500);
      watch.touch();
    }
    expect(watch.endedBy).toBe('deadline');
  });

  it('ends it for its caller, with the reason of the caller', () => {
    const controller = new AbortController();
    const watch = watchOver({ signal: controller.signal });
    controller.abort('enough');
    expect([watch.endedBy, watch.signal.reason]).toEqual(['caller', 'enough']);
    expect(watchOver({ signal: controller.signal }).endedBy).toBe('caller');
  });

  it('counts nothing while it rests, except the wish of the caller', () => {
    const controller = new AbortController();
    const watch = watchOver({ signal: controller.signal });
    watch.rest();
    jest.advanceTimersByTime(100_000);
    expect([watch.endedBy, watch.isOver]).toEqual([null, false]);
    controller.abort();
    expect(watch.endedBy).toBe('caller');
  });

  it('lets go of timers and signal at its end, for good', () => {
    const controller = new AbortController();
    const watch = watchOver({ signal: controller.signal });
    watch.end();
    watch.touch();
    controller.abort();
    expect(jest.getTimerCount()).toBe(0);
    expect([watch.signal.aborted, watch.isOver]).toEqual([false, true]);
  });
});
