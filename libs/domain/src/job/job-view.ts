import { typeId } from '../id/type-id.js';
import type { OutputLinks } from '../output/output-links.js';
import type { Job, JobInput, JobOutput } from './job.js';

/** The public JSON of outputs of a job. */
export function outputViews(jobId: string, outputs: readonly JobOutput[], links: OutputLinks) {
  const addressesOf = links.ofJob(jobId);
  return outputs.map((output) => {
    const { url, downloadUrl } = addressesOf(output);
    return {
      index: output.index,
      name: output.name,
      media_type: output.mediaType,
      size: output.sizeBytes,
      sha256: output.sha256,
      pages: output.pages,
      url,
      download_url: downloadUrl,
      expires_at: output.expiresAt.toISOString(),
    };
  });
}

/** The public JSON of a job: what `GET /v1/jobs/{id}` answers and what admission stores. */
export function jobView(job: Job, links: OutputLinks) {
  return {
    ...jobHead(job),
    inputs: job.inputs.map(inputView),
    outputs: outputViews(job.id, job.outputs, links),
    ...jobTail(job),
  };
}

/** The public JSON of a {@link jobView}. */
export type JobView = ReturnType<typeof jobView>;

/** The members of a job before its inputs, shared with its events. */
export function jobHead(job: Job) {
  return {
    id: typeId('job', job.id),
    object: 'job' as const,
    operation: job.operation,
    state: job.state,
    attempt: job.attempt,
    idempotency_key: job.idempotencyKey,
    progress: job.progress,
    metadata: job.metadata,
    batch_id: job.batchId === null ? null : typeId('batch', job.batchId),
    client_item_id: job.clientItemId,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
    expires_at: job.expiresAt?.toISOString() ?? null,
  };
}

/** The members of a job after its outputs, shared with its events. */
export function jobTail(job: Job) {
  return { warnings: job.warnings, error: job.error };
}

function inputView(input: JobInput) {
  return { name: input.name, media_type: input.mediaType, size: input.sizeBytes, sha256: input.sha256 };
}
