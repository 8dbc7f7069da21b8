import type { RateLimit } from '#libs/contract';
import type { RateBudget, RateLimitStore, RateWindow } from '#libs/persistence';
import { AskTogether } from '#libs/pace';

/** What came of a charge: the window that it was charged to, and whether it was within the limit. */
export interface Charge {
  readonly isWithin: boolean;
  readonly window: RateWindow;
}

/** How long a process relies on what it knows of a window that others use too. */
const knownForMs = 1_000;

/**
 * The budget of new requests of one account. One statement at a time charges all that wait, so a busy account takes one connection and its row is
 * no bottleneck; a budget that was found used up a moment ago refuses without asking.
 */
export class AccountBudget {
  private readonly charges = new AskTogether<null, Charge>((asked) => this.chargeAll(asked.length));
  private readonly readings = new AskTogether<null, RateWindow | null>(async (asked) => {
    const window = await this.read();
    return asked.map(() => window);
  });
  private known: { readonly window: RateWindow | null; readonly at: number } | null = null;
  private readonly budget: RateBudget;

  constructor(
    accountId: string,
    readonly limit: RateLimit,
    private readonly store: RateLimitStore,
    private readonly now: () => number,
  ) {
    this.budget = { accountId, windowSeconds: limit.windowSeconds };
  }

  /** Nothing is asked of it and nothing that it knows is worth keeping. */
  get isIdle(): boolean {
    return this.charges.isIdle && this.readings.isIdle && this.recent() === null;
  }

  /** Charges one unit. @throws when the database cannot be reached */
  charge(): Promise<Charge> {
    return this.charges.ask(null);
  }

  /** Gives back a unit that was charged to this window within the limit. */
  async giveBack(window: RateWindow): Promise<void> {
    const left = await this.store.giveBack(this.budget, 1, window, this.limit.units);
    if (left !== null) this.learn(left);
  }

  /** The running window as it was within the last second, `null` when none runs. */
  async window(): Promise<RateWindow | null> {
    const recent = this.recent();
    return recent === null ? this.readings.ask(null) : recent.window;
  }

  private async chargeAll(units: number): Promise<readonly Charge[]> {
    const full = this.fullWindow();
    if (full !== null) return Array.from({ length: units }, () => ({ isWithin: false, window: full }));
    const window = await this.store.take(this.budget, units);
    this.learn(window);
    const firstCount = window.usedUnits - units + 1;
    return Array.from({ length: units }, (_, index) => ({ isWithin: firstCount + index <= this.limit.units, window }));
  }

  private async read(): Promise<RateWindow | null> {
    const window = await this.store.read(this.budget);
    this.learn(window);
    return window;
  }

  private fullWindow(): RateWindow | null {
    const window = this.recent()?.window ?? null;
    return window !== null && window.usedUnits >= this.limit.units ? window : null;
  }

  private learn(window: RateWindow | null): void {
    this.known = { window, at: this.now() };
  }

  private recent(): { readonly window: RateWindow | null } | null {
    if (this.known === null || this.now() >= this.known.at + knownForMs) return null;
    const { window } = this.known;
    return window !== null && window.endsAt.getTime() <= this.now() ? null : this.known;
  }
}
