import { typeId } from '../id/type-id.js';
import type { Job } from '../job/job.js';
import { jobHead, jobTail, outputView } from '../job/job-view.js';
import type { OutputLinks } from '../output/output-links.js';
import { envelope, type RenderedEvent } from './envelope.js';
import { type EventType, jobSubmitted, longestEventBytes } from './event.js';

const mostOutputs = 20;

/** The event that tells of a job's end. The body is thin, at most {@link longestEventBytes}; it is cut, never refused. */
export function jobEvent(eventId: string, job: Job, links: OutputLinks): RenderedEvent {
  const type = `job.${job.state}` as EventType;
  const occurredAt = job.finishedAt ?? job.createdAt;
  const render = (outputs: number, metadata: Job['metadata']) =>
    envelope(eventId, type, occurredAt, jobEventData({ ...job, metadata }, outputs, links));
  for (let outputs = Math.min(job.outputs.length, mostOutputs); outputs >= 0; outputs -= 1) {
    const body = render(outputs, job.metadata);
    if (Buffer.byteLength(body) <= longestEventBytes) return { id: eventId, type, occurredAt, body };
  }
  return { id: eventId, type, occurredAt, body: render(0, {}) };
}

/** The command that tells workers of a new job. */
export function jobSubmittedCommand(eventId: string, jobId: string, operation: string, createdAt: Date): RenderedEvent {
  const body = envelope(eventId, jobSubmitted, createdAt, { id: typeId('job', jobId), object: 'job', operation });
  return { id: eventId, type: jobSubmitted, occurredAt: createdAt, body };
}

function jobEventData(job: Job, outputs: number, links: OutputLinks) {
  return {
    ...jobHead(job),
    outputs: job.outputs.slice(0, outputs).map((output) => outputView(job, output, links)),
    outputs_total: job.outputs.length,
    outputs_url: outputs < job.outputs.length ? links.jobUrl(job.id) : null,
    ...jobTail(job),
  };
}
