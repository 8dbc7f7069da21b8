import { statement } from '../database/statement.js';

/** Sets a lease on pending rows nobody holds; a lapsed lease is taken again. Never "id greater than the last": ids commit out of order. */
export const claimOutbox = statement(
  'claim-outbox',
  `
WITH free AS (
  SELECT id FROM outbox
  WHERE state = 'pending' AND (claimed_until IS NULL OR claimed_until < now())
  ORDER BY id
  LIMIT $1
  FOR UPDATE SKIP LOCKED
)
UPDATE outbox SET claimed_until = now() + interval '10 seconds'
FROM free WHERE outbox.id = free.id
RETURNING outbox.id::text, topic, key, event_id, type, body, occurred_at`,
);

/** A row that another relay has taken since is marked too: Kafka has it. */
export const markOutboxPublished = statement(
  'mark-outbox-published',
  `UPDATE outbox SET state = 'published', settled_at = now(), claimed_until = NULL WHERE id = ANY($1::bigint[]) AND state = 'pending'`,
);

export const markOutboxDead = statement(
  'mark-outbox-dead',
  `UPDATE outbox SET state = 'dead', reason = $2, settled_at = now(), claimed_until = NULL WHERE id = $1 AND state = 'pending'`,
);

/** The rows that Kafka refused, oldest first. */
export const listDeadOutbox = statement(
  'list-dead-outbox',
  `
SELECT id::text, topic, key, event_id, type, octet_length(body) AS bytes, reason, settled_at
FROM outbox WHERE state = 'dead'
ORDER BY outbox.id LIMIT $1`,
);

/** $1 is null for all of them. */
export const retryDeadOutbox = statement(
  'retry-dead-outbox',
  `
UPDATE outbox SET state = 'pending', reason = NULL, settled_at = NULL
WHERE state = 'dead' AND ($1::bigint[] IS NULL OR id = ANY($1::bigint[]))
RETURNING id::text`,
);
