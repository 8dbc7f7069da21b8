export { AddressAllowList, AllowListError } from './address/address-allow-list.js';
export { readUrl } from './address/read-url.js';
export { AddressGuard, type AddressRequirement, type Refusal } from './address/address-guard.js';
export { type Batch, batchStates, type FailedItem } from './batch/batch.js';
export { batchView } from './batch/batch-view.js';
export {
  type AttemptOutcome,
  attemptOutcomes,
  type DeliveryState,
  deliveryStates,
  type EndpointState,
  endpointStates,
} from './delivery/delivery.js';
export {
  type EndpointAttempt,
  type EndpointHealth,
  type EndpointHealthLimits,
  endpointHealthLimits,
  type EndpointStep,
  nextEndpointHealth,
} from './delivery/endpoint-health.js';
export { askedDelayMs, nextDeliveryDelayMs, retryScheduleMs } from './delivery/retry-schedule.js';
export { type EventType, eventTypes, isEventPattern, jobSubmitted } from './event/event.js';
export { batchEvent, mostFailedItems } from './event/batch-event.js';
export { type DisabledReason, disabledReasons, endpointEvent } from './event/endpoint-event.js';
export { envelope, type RenderedEvent } from './event/envelope.js';
export { jobEvent, jobSubmittedCommand } from './event/job-event.js';
export { pingEvent } from './event/ping-event.js';
export { transitionEvent } from './event/transition-event.js';
export { type IdPrefix, typeId, uuidOf } from './id/type-id.js';
export {
  fingerprint,
  type FingerprintBody,
  type FingerprintInput,
  type FingerprintPart,
  compareFingerprint,
} from './idempotency/fingerprint.js';
export { readIdempotencyKey } from './idempotency/idempotency-key.js';
export { escapePointer, parseStrictJson, StrictJsonError } from './idempotency/strict-json.js';
export { documentMediaType, documentName } from './job/document-name.js';
export {
  type ExceededLimit,
  isTerminal,
  type Job,
  type JobAttemptOutcome,
  jobAttemptOutcomes,
  type JobError,
  type JobInput,
  type JobOutput,
  type JobProgress,
  type JobState,
  jobStates,
} from './job/job.js';
export { jobView, type JobView } from './job/job-view.js';
export { jobRetryDelayMs } from './job/retry-delay.js';
export { OutputLinks } from './output/output-links.js';
export { type RecoverableState, recoverableStates, type RecoveryState, recoveryStates } from './recovery/recovery.js';
export { sealingKeyId, SecretKeyError, SecretKeyring } from './secret/secret-keyring.js';
export { isReservedHeader } from './webhook/reserved-header.js';
export { webhookHeaders, webhookSecret } from './webhook/webhook-signature.js';
export { withoutCredentials } from './webhook/without-credentials.js';
