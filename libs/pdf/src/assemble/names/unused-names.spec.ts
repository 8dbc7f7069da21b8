import { UnusedNames } from './unused-names.js';

describe('unused names', () => {
  it('leave a name as it is while nothing has it, and count from the second on', () => {
    const names = new UnusedNames();
    expect(['a', 'b', 'a', 'a', 'b'].map((name) => names.take(name))).toEqual(['a', 'b', 'a_2', 'a_3', 'b_2']);
  });

  it('never give a name that was given as it is', () => {
    const names = new UnusedNames();
    expect(['a_2', 'a', 'a', 'a_2'].map((name) => names.take(name))).toEqual(['a_2', 'a', 'a_3', 'a_2_2']);
  });

  it('are found in no time, however often a name comes again', () => {
    const names = new UnusedNames();
    let last = '';
    for (let count = 0; count < 200_000; count += 1) last = names.take('a');
    expect(last).toBe('a_200000');
  });
});
