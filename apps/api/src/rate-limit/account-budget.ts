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

/** A process whose charges follow each other within this time takes units ahead of the requests that will need them. */
const busyWithinMs = 100;
/** How many units it takes ahead for each that it needs now. */
const aheadForEach = 16;
/** The part of the budget that it takes ahead at most: the others lose it until the window ends. */
const mostAheadOf = 1 / 200;

/**
 * The budget of new requests of one account. One statement at a time charges all that wait, and for a busy account those that will come next, so
 * its row is no bottleneck; a budget that was found used up a moment ago refuses without asking.
 */
export class AccountBudget {
  private readonly charges = new AskTogether<null, Charge>((asked) => this.chargeAll(asked.length));
  private readonly readings = new AskTogether<null, RateWindow | null>(async (asked) => {
    const window = await this.read();
    return asked.map(() => window);
  });
  private ahead: { readonly units: number; readonly window: RateWindow } | null = null;
  private takenAt = Number.NEGATIVE_INFINITY;
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
  async charge(): Promise<Charge> {
    const [drawn] = this.draw(1);
    return drawn ?? this.charges.ask(null);
  }

  /** Whether units were taken ahead and are not used, so that the next charge asks nobody. */
  get isAhead(): boolean {
    return this.ahead !== null && this.ahead.units > 0 && this.ahead.window.endsAt.getTime() > this.now();
  }

  /** Gives back a unit that was charged to this window within the limit. */
  async giveBack(window: RateWindow): Promise<void> {
    if (this.isAhead && this.ahead?.window.endsAt.getTime() === window.endsAt.getTime()) {
      this.ahead = { ...this.ahead, units: this.ahead.units + 1 };
      return;
    }
    const left = await this.store.giveBack(this.budget, 1, window, this.limit.units);
    if (left !== null) this.learn(left);
  }

  /** The running window as it was within the last second, `null` when none runs. */
  async window(): Promise<RateWindow | null> {
    const recent = this.recent();
    return recent === null ? this.readings.ask(null) : recent.window;
  }

  private async chargeAll(units: number): Promise<readonly Charge[]> {
    const drawn = this.draw(units);
    const charged = drawn.length < units ? await this.chargeAnew(units - drawn.length) : [];
    return [...drawn, ...charged];
  }

  /** As many charges as units were taken ahead, at most so many. */
  private draw(units: number): readonly Charge[] {
    const { ahead } = this;
    if (ahead === null || !this.isAhead) return [];
    const drawn = Math.min(units, ahead.units);
    this.ahead = { ...ahead, units: ahead.units - drawn };
    return charges(drawn, true, usedBy(ahead.window, this.ahead.units));
  }

  private async chargeAnew(units: number): Promise<readonly Charge[]> {
    const full = this.fullWindow();
    if (full !== null) return charges(units, false, full);
    const taken = units + this.unitsAhead(units);
    const window = await this.store.take(this.budget, taken);
    this.learn(window);
    this.takenAt = this.now();
    const granted = Math.min(taken, Math.max(0, this.limit.units - (window.usedUnits - taken)));
    this.ahead = { window, units: Math.max(0, granted - units) };
    const used = usedBy(window, this.ahead.units);
    return [...charges(Math.min(units, granted), true, used), ...charges(Math.max(0, units - granted), false, used)];
  }

  private unitsAhead(units: number): number {
    const isBusy = this.now() - this.takenAt < busyWithinMs;
    return isBusy ? Math.min(units * aheadForEach, Math.floor(this.limit.units * mostAheadOf)) : 0;
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

function charges(units: number, isWithin: boolean, window: RateWindow): readonly Charge[] {
  return Array.from({ length: units }, () => ({ isWithin, window }));
}

/** A window as it is but for units that were taken ahead and are not used. */
function usedBy(window: RateWindow, aheadUnits: number): RateWindow {
  return { ...window, usedUnits: window.usedUnits - aheadUnits };
}
