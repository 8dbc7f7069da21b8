import { type IdPrefix, typeId } from '#libs/domain';
import type { Cluster } from '../support/cluster.js';
import type { History, StoredKind } from '../support/history.js';

interface StoredRow {
  readonly id: string;
  readonly idempotency_key?: string | null;
  readonly payload?: string | null;
  readonly of?: string | null;
  readonly detail?: string | null;
}

interface StoredQuery {
  readonly kind: StoredKind;
  /** Of ids that are UUIDs. */
  readonly prefix: IdPrefix | null;
  readonly ofPrefix: IdPrefix | null;
  readonly sql: string;
}

const queries: readonly StoredQuery[] = [
  {
    ...{ kind: 'job', prefix: 'job', ofPrefix: 'batch' },
    sql: `SELECT id, idempotency_key, metadata->>'payload' AS payload, batch_id AS of, state AS detail FROM jobs`,
  },
  {
    ...{ kind: 'batch', prefix: 'batch', ofPrefix: null },
    sql: `SELECT id, CASE WHEN finished_at IS NULL THEN 'processing' ELSE 'completed' END AS detail FROM batches`,
  },
  {
    ...{ kind: 'file', prefix: 'file', ofPrefix: null },
    sql: `SELECT id, split_part(name, '.', 1) AS idempotency_key, split_part(name, '.', 2) AS payload FROM files`,
  },
  {
    ...{ kind: 'endpoint', prefix: 'ep', ofPrefix: null },
    sql: `SELECT id, split_part(url, '/', 4) AS idempotency_key, split_part(url, '/', 5) AS payload FROM webhook_endpoints`,
  },
  {
    ...{ kind: 'key', prefix: null, ofPrefix: null },
    sql: `SELECT location AS id, key AS idempotency_key,
                 CASE WHEN NOT is_sealed THEN encode(sha256(body), 'hex') END AS detail FROM idempotency_keys`,
  },
  {
    ...{ kind: 'command', prefix: 'evt', ofPrefix: null },
    sql: `SELECT event_id AS id, key AS of FROM outbox WHERE type = 'job.submitted'`,
  },
  {
    ...{ kind: 'event', prefix: 'evt', ofPrefix: 'job' },
    sql: `SELECT id, job_id AS of, type AS detail FROM events WHERE job_id IS NOT NULL`,
  },
  {
    ...{ kind: 'event', prefix: 'evt', ofPrefix: 'batch' },
    sql: `SELECT id, batch_id AS of, type AS detail FROM events WHERE batch_id IS NOT NULL`,
  },
  {
    ...{ kind: 'usage', prefix: 'job', ofPrefix: 'job' },
    sql: `SELECT job_id AS id, job_id AS of FROM usage_records`,
  },
];

/** Writes into the history what the database holds when all is quiet: whatever admissions made, and what came of it. */
export async function readStored(cluster: Cluster, history: History): Promise<void> {
  for (const { kind, prefix, ofPrefix, sql } of queries) {
    for (const row of await cluster.query<StoredRow>(sql)) {
      const { id, idempotency_key: idempotencyKey, payload, of, detail } = row;
      history.append({
        ...{ type: 'stored', kind, id: prefix === null ? id : typeId(prefix, id) },
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(payload === undefined ? {} : { payload }),
        ...(of === undefined || of === null ? {} : { of: ofPrefix === null ? of : typeId(ofPrefix, of) }),
        ...(detail === undefined ? {} : { detail }),
      });
    }
  }
}
