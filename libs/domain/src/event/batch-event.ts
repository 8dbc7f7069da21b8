import type { Batch, FailedItem } from '../batch/batch.js';
import { batchView } from '../batch/batch-view.js';
import { typeId } from '../id/type-id.js';
import type { OutputLinks } from '../output/output-links.js';
import { envelope, type RenderedEvent } from './envelope.js';
import type { EventType } from './event.js';
import { firstThatFits } from './first-that-fits.js';

const type: EventType = 'batch.completed';

/** How many failed items the event of a batch names at most. */
export const mostFailedItems = 20;

/** The event that tells of a batch's end, with the first of its failed items. */
export function batchEvent(
  eventId: string,
  batch: Batch,
  failedItems: readonly FailedItem[],
  links: OutputLinks,
): RenderedEvent {
  const occurredAt = batch.finishedAt ?? batch.createdAt;
  const errors = failedItems.slice(0, mostFailedItems).map(({ jobId, clientItemId, code }) => ({
    job_id: typeId('job', jobId),
    client_item_id: clientItemId,
    code,
  }));
  const rest = { errors_total: batch.counts.failed, jobs_url: `${links.batchUrl(batch.id)}/jobs` };
  const render = (most: number) =>
    envelope(eventId, type, occurredAt, { ...batchView(batch), errors: errors.slice(0, most), ...rest });
  return { id: eventId, type, occurredAt, body: firstThatFits(fewerAndFewer(errors.length, render)) };
}

function* fewerAndFewer(most: number, render: (errors: number) => string): Generator<string, void> {
  for (let errors = most; errors >= 0; errors -= 1) yield render(errors);
}
