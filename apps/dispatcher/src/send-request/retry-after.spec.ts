import { retryAfterMs } from './retry-after.js';

const now = new Date('2026-11-30T10:00:00.000Z');

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['99999999999999999999', Number.MAX_SAFE_INTEGER],
    ['Mon, 30 Nov 2026 10:02:00 GMT', 120_000],
    ['Monday, 30-Nov-26 10:02:00 GMT', 120_000],
    ['Mon Nov 30 10:02:00 2026 GMT', 120_000],
    ['Mon, 30 Nov 2026 09:00:00 GMT', 0],
  ])('%p asks to wait %p ms', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });

  it.each([null, '', 'soon', '-5', '1.5', '1e3'])('%p asks nothing', (header) => {
    expect(retryAfterMs(header, now)).toBeNull();
  });
});
