import { retryAfterMs } from './retry-after-ms.js';

describe('Retry-After', () => {
  const now = Date.parse('1994-11-06T08:49:00Z');
  const read = (value: string, date?: string) =>
    retryAfterMs(new Headers({ 'retry-after': value, ...(date === undefined ? {} : { date }) }), now);

  it('is read as seconds', () => {
    expect(['0', '1', ' 120 '].map((value) => read(value))).toEqual([0, 1_000, 120_000]);
  });

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT'])('is read as the date %s', (value) => {
    expect(read(value)).toBe(37_000);
  });

  it('is a time from the Date of the same answer, whatever the clock of the client says', () => {
    expect(read('Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:35 GMT')).toBe(2_000);
  });

  it('is no time at all when the date is over', () => {
    expect(read('Sun, 06 Nov 1994 08:48:00 GMT')).toBe(0);
  });

  it.each(['', '-1', '1.5', 'soon', '1e3', '2026-01-01', 'Never, GMT'])('is ignored when it is %p', (value) => {
    expect(read(value)).toBeNull();
  });

  it('may be absent', () => {
    expect(retryAfterMs(new Headers(), now)).toBeNull();
  });
});
