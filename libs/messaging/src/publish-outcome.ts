/**
 * What became of records handed to Kafka.
 * - `published`: all replicas have them.
 * - `refused`: Kafka will never take them as they are (too large, invalid); alone, a record is dead.
 * - `unknown`: some, all or none arrived; to be tried again.
 */
export type PublishOutcome =
  | { readonly kind: 'published' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly error: Error };
