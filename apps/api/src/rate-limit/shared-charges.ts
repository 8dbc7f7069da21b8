import type { RateWindow } from '#libs/persistence';
import type { AccountBudget, Charge } from './account-budget.js';

/** One request's share in a charge: it either has used it, or has not and gives it back; only the first word counts. */
export interface ChargeShare extends Charge {
  /** The request was new, or refused, or its client left. */
  spend(): void;
  /** The request was a repetition. The unit goes back when nobody who shared it has used it. */
  giveBack(): Promise<void>;
}

/**
 * Charges budgets. Requests of one key that wait at the same time share one charge, until one of them has used it: whoever comes then is
 * charged anew.
 */
export class SharedCharges {
  private readonly open = new Map<string, SharedCharge>();

  /**
   * @param name of the key, `null` without one: then nothing is shared
   * @throws when the database cannot be reached
   */
  async join(name: string | null, budget: AccountBudget): Promise<ChargeShare> {
    if (name === null) return new SharedCharge(budget, () => undefined).share();
    const shared = this.open.get(name) ?? this.begin(name, budget);
    return shared.share();
  }

  private begin(name: string, budget: AccountBudget): SharedCharge {
    const begun: SharedCharge = new SharedCharge(budget, () => {
      if (this.open.get(name) === begun) this.open.delete(name);
    });
    this.open.set(name, begun);
    return begun;
  }
}

class SharedCharge {
  private readonly charging: Promise<Charge>;
  private holders = 0;
  private isSpent = false;

  constructor(
    private readonly budget: AccountBudget,
    private readonly end: () => void,
  ) {
    this.charging = budget.charge();
  }

  async share(): Promise<ChargeShare> {
    this.holders += 1;
    const { isWithin, window } = await this.charging.catch((error: unknown) => {
      this.end();
      throw error;
    });
    if (!isWithin) this.end();
    let isHeld = isWithin;
    const once = (): boolean => {
      const wasHeld = isHeld;
      isHeld = false;
      return wasHeld;
    };
    return {
      isWithin,
      window,
      spend: () => {
        if (once()) this.spend();
      },
      giveBack: async () => {
        if (once()) await this.leave(window);
      },
    };
  }

  private spend(): void {
    this.holders -= 1;
    this.isSpent = true;
    this.end();
  }

  private async leave(window: RateWindow): Promise<void> {
    this.holders -= 1;
    if (this.holders > 0) return;
    this.end();
    if (!this.isSpent) await this.budget.giveBack(window);
  }
}
