import { parseSetting, type RateLimit } from '#libs/contract';
import type { RateLimitStore } from '#libs/persistence';
import type { Caller } from '../http/request-context.js';
import { AccountBudget } from './account-budget.js';

const mostKept = 10_000;

/** The budgets of the accounts that ask; those that are idle are forgotten when there are many. */
export class Budgets {
  private readonly kept = new Map<string, AccountBudget>();

  /**
   * @param limit of an account without one of its own; `null` is none
   * @param now Unix milliseconds
   */
  constructor(
    private readonly store: RateLimitStore,
    private readonly limit: RateLimit | null,
    private readonly now: () => number,
  ) {}

  /** The budget of the caller's account, `null` when it is not limited. */
  of({ accountId, rateLimit }: Pick<Caller, 'accountId' | 'rateLimit'>): AccountBudget | null {
    const limit = rateLimit === null ? this.limit : parseSetting('rate', rateLimit);
    if (limit === null) return null;
    const name = `${accountId} ${limit.units}/${limit.windowSeconds}`;
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    if (this.kept.size >= mostKept) this.forgetIdle();
    const budget = new AccountBudget(accountId, limit, this.store, this.now);
    this.kept.set(name, budget);
    return budget;
  }

  private forgetIdle(): void {
    for (const [name, budget] of this.kept) if (budget.isIdle) this.kept.delete(name);
  }
}
