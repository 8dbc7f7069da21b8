import { RequestRefused } from '#libs/contract';
import type { AskedKey, FoundKey, KeyScope, RateWindow } from '#libs/persistence';
import type { AccountBudget } from '../rate-limit/account-budget.js';
import { rateLimitHeaders, type RateLimitHeaders, secondsUntil } from '../rate-limit/rate-limit-headers.js';
import type { ChargeShare, SharedCharges } from '../rate-limit/shared-charges.js';
import type { LookUpKeys } from './look-up-keys.js';
import type { RecentKeys } from './recent-keys.js';
import type { Client } from './take-turns.js';

/** With what requests enter. */
export interface EntryParts {
  readonly lookUps: LookUpKeys;
  readonly charges: SharedCharges;
  readonly recent: RecentKeys;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Who enters: with which key, on whose budget, by which connection. */
export interface Entering {
  /** `null` without a key. */
  readonly key: AskedKey | null;
  /** `null` where there is no limit. */
  readonly budget: AccountBudget | null;
  readonly client: Client;
}

/** How long a look at a key counts, its check of the API key too. */
const lookCountsMs = 1_000;

/**
 * A request on its way to its one decision: what its key was found to stand for before its body was read, and what it was charged. Only new
 * requests cost a unit: under a known key nothing is charged, and a request that lost its race gets its unit back. A process that dies between
 * charge and decision loses the unit, never more: a budget is not overspent.
 */
export class Entry {
  private looked: { readonly record: FoundKey | null; readonly at: number } | null = null;
  private share: ChargeShare | null = null;
  private window: RateWindow | null = null;
  private hasClosed = false;
  /** Names its key among those of all accounts and routes; `null` without one. */
  readonly keyName: string | null;

  constructor(
    private readonly parts: EntryParts,
    private readonly entering: Entering,
  ) {
    this.keyName = entering.key === null ? null : nameOf(entering.key);
  }

  get client(): Client {
    return this.entering.client;
  }

  /**
   * Before the body is read: looks the key up, and charges the request if no live record has it. Where there is nothing to charge, or a unit is at
   * hand, it looks only for a key that was decided here lately: the write finds out, and the unit goes back.
   *
   * @throws RequestRefused `rate_limited`
   */
  async begin(): Promise<void> {
    const { budget } = this.entering;
    const mayBeNew = budget === null || budget.isAhead;
    if (this.keyName === null || (mayBeNew && !this.parts.recent.has(this.keyName))) return void (await this.pay());
    const record = await this.look();
    if (record === null) await this.pay();
    else await this.readWindow();
  }

  /**
   * The live record of the key, before anything is written: a look counts for a second. A request that was let in as a new one does not look again,
   * since its write finds out.
   *
   * @param isStale whether something may have come of another request with the key since then
   */
  async known(isStale: boolean): Promise<FoundKey | null> {
    if (isStale) return this.look();
    if (this.looked === null) return null;
    const seen = live(this.looked.record);
    return seen === null || this.parts.now() < this.looked.at + lookCountsMs ? seen : this.look();
  }

  /** The live record that the key has now, `null` without one and without a key. */
  async look(): Promise<FoundKey | null> {
    const record = await this.find();
    this.looked = { record, at: this.parts.now() };
    return live(record);
  }

  /** The committed record of the key, an expired one too. */
  async find(): Promise<FoundKey | null> {
    const { key } = this.entering;
    return key === null ? null : this.parts.lookUps.find(key);
  }

  /**
   * Charges the request unless it was charged before. Over budget it looks once more and gives the live record that the key has got meanwhile.
   *
   * @throws RequestRefused `rate_limited`
   */
  async pay(): Promise<FoundKey | null> {
    const { budget } = this.entering;
    if (budget === null || this.share !== null) return null;
    const share = await this.parts.charges.join(this.keyName, budget);
    this.window = share.window;
    if (share.isWithin) {
      this.share = share;
      if (this.hasClosed) share.spend();
      return null;
    }
    const record = await this.look();
    if (record === null) throw this.overBudget(share.window);
    return record;
  }

  /** The request has made something new. */
  spend(): void {
    this.decided();
    this.share?.spend();
  }

  /** The connection is done with the request: what was not decided by now was refused, or its client left. */
  close(): void {
    this.hasClosed = true;
    this.share?.spend();
  }

  /** The request turned out to repeat an earlier one. */
  async giveBack(): Promise<void> {
    this.decided();
    // A unit that cannot be given back is lost until its window ends; the answer is right all the same.
    await this.share?.giveBack().catch(() => undefined);
  }

  /** The budget as this process knew it when it charged the request or, under a known key, within the second before; `{}` without a limit. */
  rateLimitHeaders(): RateLimitHeaders {
    const { budget } = this.entering;
    return budget === null ? {} : rateLimitHeaders(budget.limit, this.window, this.parts.now());
  }

  private decided(): void {
    if (this.keyName !== null) this.parts.recent.add(this.keyName);
  }

  /** Nothing depends on it: a repetition is answered also when the state of the budget cannot be read. */
  private async readWindow(): Promise<void> {
    this.window = (await this.entering.budget?.window().catch(() => null)) ?? null;
  }

  private overBudget(window: RateWindow): RequestRefused {
    const { budget } = this.entering;
    const { units = 0, windowSeconds = 0 } = budget?.limit ?? {};
    return new RequestRefused(
      'rate_limited',
      `this account may make ${units} new requests in ${windowSeconds} s; repeat the request, with the same Idempotency-Key if it had one`,
      { retryAfterSeconds: secondsUntil(window, this.parts.now()) },
    );
  }
}

/** One name for the scope of a key: no part of it has the line break that stands between them. */
function nameOf({ accountId, route, key }: KeyScope): string {
  return [accountId, route, key].join('\n');
}

function live(record: FoundKey | null): FoundKey | null {
  return record === null || record.isExpired ? null : record;
}
