export { ApiKeys } from './calls/api-keys.js';
export { Batches, type BatchJobQuery } from './calls/batches.js';
export { Deliveries, type DeliveryQuery } from './calls/deliveries.js';
export { type EventQuery, Events } from './calls/events.js';
export { Files } from './calls/files.js';
export { type JobQuery, Jobs, type WaitForJobOptions } from './calls/jobs.js';
export { Outputs } from './calls/outputs.js';
export { Recoveries } from './calls/recoveries.js';
export { WebhookEndpoints } from './calls/webhook-endpoints.js';
export type { CallOptions, ClientOptions, Fetch, SubmitOptions, WriteOptions } from './client-options.js';
export type { Download } from './download/open-download.js';
export { ConnectionError } from './errors/connection-error.js';
export { DeadlineExceededError } from './errors/deadline-exceeded-error.js';
export { IntegrityError } from './errors/integrity-error.js';
export { JobFailedError } from './errors/job-failed-error.js';
export { PdfonceError } from './errors/pdfonce-error.js';
export { RequestAbortedError } from './errors/request-aborted-error.js';
export { RequestError } from './errors/request-error.js';
export { RequestRefusedError } from './errors/request-refused-error.js';
export { UploadSourceError } from './errors/upload-source-error.js';
export { PdfonceClient, type UsageQuery } from './pdfonce-client.js';
export type { Accepted } from './request/requests.js';
export type { RetryAdvice } from './request/retry-advice.js';
export type { Upload } from './upload/upload.js';
export type { ByteStream, UploadSource } from './upload/upload-source.js';
export type { WaitOptions } from './wait/poll-until-ended.js';
export type { ApiKey, ApiKeyRequest, Scope } from './wire/api-key.js';
export type { Batch, BatchState } from './wire/batch.js';
export type { Delivery, DeliveryAttempt, DeliveryState } from './wire/delivery.js';
export type {
  BatchItemRequest,
  BatchRequest,
  InputReference,
  JobRequest,
  JobWork,
  PartReference,
  UploadedJobRequest,
} from './wire/job-request.js';
export type {
  ExceededLimit,
  Job,
  JobError,
  JobHistory,
  JobHistoryEntry,
  JobInput,
  JobOutput,
  JobState,
} from './wire/job.js';
export type { Page, PageQuery } from './wire/page.js';
export type { RecoverableState, Recovery, RecoveryRequest } from './wire/recovery.js';
export type { SentEvent } from './wire/sent-event.js';
export type { StoredFile } from './wire/stored-file.js';
export type { Usage } from './wire/usage.js';
export type {
  SecretRotation,
  WebhookEndpoint,
  WebhookEndpointPatch,
  WebhookEndpointRequest,
} from './wire/webhook-endpoint.js';
