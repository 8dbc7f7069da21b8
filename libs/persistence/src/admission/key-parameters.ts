import type { IdempotencyRecord } from './idempotency-record.js';

/** The values of the parameters that {@link takeKey} names. */
export function keyParameters(record: IdempotencyRecord): readonly unknown[] {
  const { accountId, route, key, fingerprint, answer, isSealed } = record;
  return [
    accountId,
    route,
    key,
    fingerprint,
    answer.status,
    answer.location,
    answer.contentType,
    Buffer.from(answer.body),
    isSealed,
  ];
}
