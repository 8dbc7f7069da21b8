import { rateLimitHeaders, secondsUntil } from './rate-limit-headers.js';

const limit = { units: 600, windowSeconds: 60 };
const nowMs = Date.parse('2026-11-30T12:00:00.000Z');
const windowEndingIn = (ms: number, usedUnits = 550) => ({ usedUnits, endsAt: new Date(nowMs + ms) });

describe('rateLimitHeaders', () => {
  it('tells policy and state in both families of fields', () => {
    expect(rateLimitHeaders(limit, windowEndingIn(30_000), nowMs)).toEqual({
      'ratelimit-policy': '"default";q=600;w=60',
      ratelimit: '"default";r=50;t=30',
      'ratelimit-limit': '600',
      'ratelimit-remaining': '50',
      'ratelimit-reset': '30',
    });
  });

  it('has nothing remaining where more was asked for than there is', () => {
    expect(rateLimitHeaders(limit, windowEndingIn(1, 700), nowMs)).toMatchObject({ ratelimit: '"default";r=0;t=1' });
  });

  it('has all units without a window, and after its end', () => {
    for (const window of [null, windowEndingIn(0), windowEndingIn(-1)])
      expect(rateLimitHeaders(limit, window, nowMs)).toMatchObject({ ratelimit: '"default";r=600;t=60' });
  });
});

describe('secondsUntil', () => {
  it('is never earlier than the end of the window, and at least one', () => {
    expect([0, 1, 1_000, 1_001].map((ms) => secondsUntil(windowEndingIn(ms), nowMs))).toEqual([1, 1, 1, 2]);
  });
});
