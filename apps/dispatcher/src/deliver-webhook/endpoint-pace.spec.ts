import { EndpointPace } from './endpoint-pace.js';

describe('the pace of endpoints', () => {
  it('is quick while answers take at most 250 ms, and not of one that fails', () => {
    const pace = new EndpointPace();
    expect([pace.quick(), pace.slow()]).toEqual([[], []]);
    pace.note('a', 10, true);
    pace.note('b', 300, true);
    pace.note('c', 1, false);
    expect([pace.quick(), pace.slow()]).toEqual([['a'], []]);
    pace.note('a', 12, false);
    expect(pace.quick()).toEqual([]);
    pace.note('a', 12, true);
    expect(pace.quick()).toEqual(['a']);
  });

  it('is slow when answers or failures take more than a second, and bears single ones', () => {
    const pace = new EndpointPace();
    pace.note('hangs', 15_000, false);
    pace.note('a', 10, true);
    pace.note('a', 1_100, true);
    expect([pace.quick(), pace.slow()]).toEqual([['a'], ['hangs']]);
    for (let answers = 0; answers < 20; answers += 1) pace.note('a', 1_100, true);
    expect([pace.quick(), pace.slow()]).toEqual([[], ['hangs', 'a']]);
  });

  it('is forgotten of those that were not heard of for longest', () => {
    const pace = new EndpointPace();
    for (let endpoint = 0; endpoint < 300; endpoint += 1) pace.note(String(endpoint), 1, true);
    expect(pace.quick()).toHaveLength(200);
    expect(pace.quick()[0]).toBe('100');
  });
});
