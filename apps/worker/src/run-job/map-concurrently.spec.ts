import { mapConcurrently } from './map-concurrently.js';

describe('mapConcurrently', () => {
  it('keeps the order and never has more than the limit under way', async () => {
    let underWay = 0;
    let most = 0;
    const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item) => {
      most = Math.max(most, (underWay += 1));
      for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
      underWay -= 1;
      return item * 10;
    });
    expect(results).toEqual([50, 10, 40, 20, 30]);
    expect(most).toBe(2);
  });

  it('begins nothing after an error and throws it when what was begun has ended', async () => {
    const ended: number[] = [];
    const mapping = mapConcurrently([1, 2, 3, 4], 2, async (item) => {
      if (item === 1) throw new Error('first');
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      ended.push(item);
    });
    await expect(mapping).rejects.toThrow('first');
    expect(ended).toEqual([2]);
  });
});
