import { preferredWaitSeconds } from './prefer-wait.js';

describe('preferredWaitSeconds', () => {
  it.each([
    ['wait=10', 10],
    ['respond-async, wait=5', 5],
    ['wait="7"; x=y', 7],
    ['wait=600', 60],
    ['wait=9999999999', 60],
    ['wait=0', 0],
  ])('reads %s (contract 1.14)', (header, seconds) => expect(preferredWaitSeconds(header)).toBe(seconds));

  it.each([undefined, '', 'wait', 'wait=', 'wait=-1', 'wait=1.5', 'waiting=3', 'return=minimal'])(
    'ignores %p (contract 1.14)',
    (header) => expect(preferredWaitSeconds(header)).toBeNull(),
  );
});
