import { IdempotencyStore, RateLimitStore } from '#libs/persistence';
import type { ApiParts } from './api-parts.js';
import { DecideOnce } from './idempotency/decide-once.js';
import { Entrance } from './idempotency/entrance.js';
import { LookUpKeys } from './idempotency/look-up-keys.js';
import { RecentKeys } from './idempotency/recent-keys.js';
import { TakeTurns } from './idempotency/take-turns.js';
import { Budgets } from './rate-limit/budgets.js';
import { SharedCharges } from './rate-limit/shared-charges.js';

/** What every request that may write goes through: the entrance before its body is read, the decision after. */
export interface Decision {
  readonly entrance: Entrance;
  readonly decide: DecideOnce;
}

/** Makes the parts of the decision, on the pools for admission and for rate limits. */
export function assembleDecision(parts: ApiParts): Decision {
  const { admissionDatabase: database, rateLimitDatabase, config, keyring } = parts;
  const keys = new IdempotencyStore(database);
  const now = (): number => Date.now();
  const budgets = new Budgets(new RateLimitStore(rateLimitDatabase), config.RATE_LIMIT, now);
  const entering = { lookUps: new LookUpKeys(keys), charges: new SharedCharges(), recent: new RecentKeys(), now };
  return {
    entrance: new Entrance(entering, budgets),
    decide: new DecideOnce({
      ...{ keys, keyring, database, turns: new TakeTurns() },
      keyTtlMs: config.IDEMPOTENCY_TTL,
    }),
  };
}
