import { pollPauseMs } from './poll-pause-ms.js';

describe('the pause between two looks', () => {
  it('grows from 100 milliseconds to 2 seconds', () => {
    expect([1, 2, 3, 4, 5, 6, 1_000].map((look) => pollPauseMs(look, 0))).toEqual([
      100, 200, 400, 800, 1_600, 2_000, 2_000,
    ]);
  });

  it('is never less than a half of that', () => {
    expect([1, 6].map((look) => pollPauseMs(look, 1))).toEqual([50, 1_000]);
  });
});
