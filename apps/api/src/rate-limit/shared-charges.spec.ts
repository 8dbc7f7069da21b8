import type { AccountBudget, Charge } from './account-budget.js';
import { SharedCharges } from './shared-charges.js';

const window = { usedUnits: 1, endsAt: new Date('2026-11-30T12:00:00Z') };

/** A budget that counts. */
class CountingBudget {
  charged = 0;
  givenBack = 0;

  constructor(private readonly outcome: () => Promise<Charge> = async () => ({ isWithin: true, window })) {}

  charge(): Promise<Charge> {
    this.charged += 1;
    return this.outcome();
  }

  async giveBack(): Promise<void> {
    this.givenBack += 1;
  }

  asBudget(): AccountBudget {
    return this as unknown as AccountBudget;
  }
}

describe('SharedCharges', () => {
  const join = (charges: SharedCharges, budget: CountingBudget, name: string | null = 'k') =>
    charges.join(name, budget.asBudget());

  it('charges requests of one key that wait at the same time once', async () => {
    const [charges, budget] = [new SharedCharges(), new CountingBudget()];
    await Promise.all([join(charges, budget), join(charges, budget)]);
    await Promise.all([join(charges, budget, 'other'), join(charges, budget, null), join(charges, budget, null)]);
    expect(budget.charged).toBe(4);
  });

  it('gives the unit back when the last of them has not used it, and only once', async () => {
    const [charges, budget] = [new SharedCharges(), new CountingBudget()];
    const [first, second] = await Promise.all([join(charges, budget), join(charges, budget)]);
    await first.giveBack();
    await first.giveBack();
    expect(budget.givenBack).toBe(0);
    await second.giveBack();
    expect(budget.givenBack).toBe(1);
  });

  it('keeps the unit when one of them has used it, and charges whoever comes then', async () => {
    const [charges, budget] = [new SharedCharges(), new CountingBudget()];
    const [fresh, replay] = await Promise.all([join(charges, budget), join(charges, budget)]);
    fresh.spend();
    const late = await join(charges, budget);
    expect(budget.charged).toBe(2);
    await replay.giveBack();
    expect(budget.givenBack).toBe(0);
    await late.giveBack();
    expect(budget.givenBack).toBe(1);
  });

  it('counts the first word of a request only', async () => {
    const [charges, budget] = [new SharedCharges(), new CountingBudget()];
    const share = await join(charges, budget);
    share.spend();
    await share.giveBack();
    expect(budget.givenBack).toBe(0);
  });

  it('asks again after a refusal and after a failure, and gives nothing back for them', async () => {
    const outcomes: (() => Promise<Charge>)[] = [
      async () => ({ isWithin: false, window }),
      () => Promise.reject(new Error('lost')),
    ];
    const budget = new CountingBudget(() => outcomes.shift()?.() ?? Promise.resolve({ isWithin: true, window }));
    const charges = new SharedCharges();
    const refused = await join(charges, budget);
    await refused.giveBack();
    await expect(join(charges, budget)).rejects.toThrow('lost');
    expect((await join(charges, budget)).isWithin).toBe(true);
    expect([budget.charged, budget.givenBack]).toEqual([3, 0]);
  });
});
