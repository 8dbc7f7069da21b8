import type { Batch, FailedItem } from '../batch/batch.js';
import { batchView } from '../batch/batch-view.js';
import { typeId } from '../id/type-id.js';
import type { OutputLinks } from '../output/output-links.js';
import { envelope, type RenderedEvent } from './envelope.js';
import type { EventType } from './event.js';

const type: EventType = 'batch.completed';

/** How many failed items the event of a batch names; with names of 100 characters its body stays below the limit. */
export const mostFailedItems = 20;

/** The event that tells of a batch's end, with the first of its failed items. */
export function batchEvent(
  eventId: string,
  batch: Batch,
  failedItems: readonly FailedItem[],
  links: OutputLinks,
): RenderedEvent {
  const occurredAt = batch.finishedAt ?? batch.createdAt;
  const data = {
    ...batchView(batch),
    errors: failedItems.slice(0, mostFailedItems).map(({ jobId, clientItemId, code }) => ({
      job_id: typeId('job', jobId),
      client_item_id: clientItemId,
      code,
    })),
    errors_total: batch.counts.failed,
    jobs_url: `${links.batchUrl(batch.id)}/jobs`,
  };
  return { id: eventId, type, occurredAt, body: envelope(eventId, type, occurredAt, data) };
}
