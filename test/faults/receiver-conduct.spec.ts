import { SeededRandom } from './random.js';
import { conductOf, receiverNames } from './receiver-conduct.js';

describe('conductOf', () => {
  const conducts = (name: (typeof receiverNames)[number], seed = 'seed') => {
    const random = new SeededRandom(seed);
    return Array.from({ length: 300 }, (_, second) => conductOf(name, second * 1_000, random));
  };

  it('is repeated by the seed', () => {
    for (const name of receiverNames) expect(conducts(name)).toEqual(conducts(name));
    expect(conducts('slow')).not.toEqual(conducts('slow', 'other'));
  });

  it('lets every receiver take most of what it gets', () => {
    for (const name of receiverNames) {
      const taken = conducts(name).filter((conduct) => conduct.kind === 'answer' && conduct.status === 200);
      expect(taken.length).toBeGreaterThan(200);
    }
  });

  it('has a receiver that fails for a while and recovers', () => {
    const statuses = conducts('recovering').map((conduct) => (conduct.kind === 'answer' ? conduct.status : 0));
    expect(statuses.slice(0, 30)).toEqual([...Array<number>(8).fill(500), ...Array<number>(22).fill(200)]);
  });
});
