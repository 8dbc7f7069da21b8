import type { IdempotencyRecord, KeyMode } from '#libs/persistence';

/** The record that a write makes true together with what it writes; `null` without a key. */
export type Keyed = { readonly record: IdempotencyRecord; readonly mode: KeyMode } | null;
