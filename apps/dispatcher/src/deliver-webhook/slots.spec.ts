import { Slots } from './slots.js';

describe('the slots of a dispatcher', () => {
  it('are kept in part for first attempts, and of these in part for endpoints that answer quickly (contract 4.6)', () => {
    const slots = new Slots(50);
    expect(slots.free()).toEqual({ limit: 50, shares: { first: 37, later: 25, recovered: 10 } });
    for (let open = 0; open < 25; open += 1) slots.take('later');
    expect(slots.free()).toEqual({ limit: 25, shares: { first: 12, later: 0, recovered: 0 } });
    for (let open = 0; open < 12; open += 1) slots.take('first');
    expect(slots.free()).toEqual({ limit: 13, shares: { first: 0, later: 0, recovered: 0 } });
  });

  it('that the prompt leave free are for all', () => {
    const slots = new Slots(50);
    for (let open = 0; open < 20; open += 1) slots.take('quick');
    expect(slots.free()).toEqual({ limit: 30, shares: { first: 30, later: 25, recovered: 10 } });
    for (let open = 0; open < 20; open += 1) slots.giveBack('quick');
    expect(slots.free().limit).toBe(50);
  });

  it('that are few leave every lane one', () => {
    expect(new Slots(1).free()).toEqual({ limit: 1, shares: { first: 1, later: 1, recovered: 1 } });
  });
});
