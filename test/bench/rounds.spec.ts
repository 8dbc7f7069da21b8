import { measureRounds } from './rounds.js';

describe('measureRounds', () => {
  it('measures each once a round, in an order that turns around from round to round', async () => {
    const order: string[] = [];
    const measure = (name: string) => async (): Promise<number> => order.push(name);
    const rounds = await measureRounds(3, { api: measure('api'), bare: measure('bare') });
    expect(order).toEqual(['api', 'bare', 'bare', 'api', 'api', 'bare']);
    expect(rounds).toEqual([
      { api: 1, bare: 2 },
      { api: 4, bare: 3 },
      { api: 5, bare: 6 },
    ]);
  });

  it('tells of each round when it is over', async () => {
    const told: unknown[] = [];
    await measureRounds(2, { one: async () => 1 }, (round, number) => told.push([number, round]));
    expect(told).toEqual([
      [1, { one: 1 }],
      [2, { one: 1 }],
    ]);
  });
});
