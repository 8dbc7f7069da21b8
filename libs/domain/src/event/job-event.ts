import { typeId } from '../id/type-id.js';
import type { Job } from '../job/job.js';
import { jobHead, jobTail, outputViews } from '../job/job-view.js';
import type { OutputLinks } from '../output/output-links.js';
import { envelope, type RenderedEvent } from './envelope.js';
import { type EventType, jobSubmitted } from './event.js';
import { firstThatFits } from './first-that-fits.js';

const mostOutputs = 20;
const mostWarnings = 20;
const longestText = 1_000;

/** The event that tells of a job's end. The body is thin, at most 20 kB; it is cut, never refused. */
export function jobEvent(eventId: string, job: Job, links: OutputLinks): RenderedEvent {
  const type = `job.${job.state}` as EventType;
  const occurredAt = job.finishedAt ?? job.createdAt;
  const render = (told: Job, outputs: number) =>
    envelope(eventId, type, occurredAt, jobEventData(told, outputs, links));
  return { id: eventId, type, occurredAt, body: firstThatFits(lessAndLess(job, render)) };
}

/** Fewer and fewer outputs, then no metadata, then texts that are cut. */
function* lessAndLess(job: Job, render: (job: Job, outputs: number) => string): Generator<string, void> {
  for (let outputs = Math.min(job.outputs.length, mostOutputs); outputs >= 0; outputs -= 1) yield render(job, outputs);
  const bare = { ...job, metadata: {} };
  yield render(bare, 0);
  const warnings = job.warnings.slice(0, mostWarnings).map((warning) => cut(warning, longestText / mostWarnings));
  const error = job.error === null ? null : { ...job.error, message: cut(job.error.message, longestText) };
  yield render({ ...bare, warnings, error }, 0);
}

/** The beginning of a text; no character is cut in two. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : [...text].slice(0, most).join('');
}

/** The command that tells workers of a new job. */
export function jobSubmittedCommand(eventId: string, jobId: string, operation: string, createdAt: Date): RenderedEvent {
  const body = envelope(eventId, jobSubmitted, createdAt, { id: typeId('job', jobId), object: 'job', operation });
  return { id: eventId, type: jobSubmitted, occurredAt: createdAt, body };
}

function jobEventData(job: Job, outputs: number, links: OutputLinks) {
  return {
    ...jobHead(job),
    outputs: outputViews(job.id, job.outputs.slice(0, outputs), links),
    outputs_total: job.outputs.length,
    outputs_url: outputs < job.outputs.length ? links.jobUrl(job.id) : null,
    ...jobTail(job),
  };
}
