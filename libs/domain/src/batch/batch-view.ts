import { typeId } from '../id/type-id.js';
import type { Batch } from './batch.js';

/** The public JSON of a batch: what `GET /v1/batches/{id}` answers and what admission stores. */
export function batchView(batch: Batch) {
  const { queued, processing, completed, failed, cancelled } = batch.counts;
  return {
    id: typeId('batch', batch.id),
    object: 'batch' as const,
    state: batch.state,
    counts: { queued, processing, completed, failed, cancelled },
    items: batch.items,
    created_at: batch.createdAt.toISOString(),
    finished_at: batch.finishedAt?.toISOString() ?? null,
    expires_at: batch.expiresAt?.toISOString() ?? null,
  };
}
