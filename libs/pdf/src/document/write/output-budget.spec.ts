import { OutputBudget } from './output-budget.js';

function failureOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return (error as { failure: unknown }).failure;
  }
  return null;
}

describe('the budget of outputs', () => {
  it('takes as many outputs and bytes as the limits allow, and not one more', () => {
    const budget = new OutputBudget({ maxOutputs: 2, maxOutputBytes: 100 });
    budget.spend(60);
    expect(failureOf(() => budget.spend(41))).toMatchObject({
      code: 'limit_exceeded',
      limit: { name: 'MAX_OUTPUT_SIZE', allowed: 100, actual: 101 },
    });
    budget.spend(40);
    expect(failureOf(() => budget.spend(0))).toMatchObject({
      code: 'limit_exceeded',
      limit: { name: 'MAX_OUTPUTS', allowed: 2, actual: 3 },
    });
  });

  it('refuses too many outputs before the first is made', () => {
    const budget = new OutputBudget({ maxOutputs: 2, maxOutputBytes: 100 });
    expect(failureOf(() => budget.plan(2))).toBe(null);
    expect(failureOf(() => budget.plan(5))).toMatchObject({
      message: 'The job makes 5 documents; MAX_OUTPUTS allows 2.',
      limit: { name: 'MAX_OUTPUTS', allowed: 2, actual: 5 },
    });
  });
});
