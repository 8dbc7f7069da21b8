export type { IdempotencyRecord, KeyMode, KeyScope, KeyToTake, StoredAnswer } from './admission/idempotency-record.js';
export { type AskedKey, type FoundKey, IdempotencyStore } from './admission/idempotency-store.js';
export { type Admission, AdmissionStore } from './admission/admission-store.js';
export type { JobToAdmit } from './admission/job-rows.js';
export type { NewBatch, NewJob, NewJobInput, NewJobSource } from './admission/new-job.js';
export { Database, type Queryable, type Tx } from './database/database.js';
export type { DatabasePurpose } from './database/pool-config.js';
export {
  brokenConstraint,
  isKeyLocked,
  isLockTimeout,
  isOutOfTime,
  isRolledBack,
  isRowLocked,
  isSchemaMissing,
  isUnavailable,
  isWriteRefused,
} from './database/postgres-error.js';
export { repeatWhileUnknown } from './database/repeat-while-unknown.js';
export { EventStore, type SubjectEvent } from './events/event-store.js';
export { statement, type Statement } from './database/statement.js';
export { databaseState, type DatabaseState } from './migrations/database-state.js';
export { migrate, revertMigration } from './migrations/migrate.js';
export type { OutboxRoute } from './outbox/outbox-route.js';
export type { OutboxRow } from './outbox/outbox-row.js';
export { type DeadOutboxRow, OutboxStore } from './outbox/outbox-store.js';
export { ObjectStore } from './objects/object-store.js';
export { AccountEraser } from './accounts/account-eraser.js';
export { ApiKeyStore, type ListedApiKey } from './api-keys/api-key-store.js';
export { BatchReader } from './batches/batch-reader.js';
export { type Delivery, DeliveryReader } from './deliveries/delivery-reader.js';
export { type Endpoint, type EndpointSettings, EndpointStore, type NewEndpoint } from './endpoints/endpoint-store.js';
export { type EventCursor, EventReader, type StoredEvent } from './events/event-reader.js';
export { type FileReference, FileStore, type StoredFile } from './files/file-store.js';
export type { StoredDocument } from './files/stored-document.js';
export type { JobHistory } from './jobs/job-history.js';
export {
  type JobFilter,
  JobReader,
  type OutputFound,
  type ReferencedOutput,
  type WorkInQuestion,
} from './jobs/job-reader.js';
export {
  type NewRecovery,
  type Recovery,
  type RecoveryStep,
  type RecoveryStepLimits,
  RecoveryStore,
} from './recoveries/recovery-store.js';
export { type Redelivered, RedeliveryStore } from './deliveries/redelivery-store.js';
export { RateLimitStore, type RateBudget, type RateWindow } from './rate-limits/rate-limit-store.js';
export { dumpSchema } from './schema/dump-schema.js';
export {
  type Resealed,
  type SealedKind,
  sealedKinds,
  type SealedPage,
  type SealedPlace,
  SealedStore,
  type SealedValue,
} from './sealed/sealed-store.js';
export { sealedTables } from './sealed/sealed-values.sql.js';
export { type UsageRow, UsageStore } from './usage/usage-store.js';
export type * from './claims/claim.js';
export type * from './endings/job-ending.js';
export { ClaimStore } from './claims/claim-store.js';
export type { Settled } from './claims/settled.js';
export { EndJob } from './endings/end-job.js';
export { GarbageStore } from './garbage/garbage-store.js';
export { PruneStore } from './prune/prune-store.js';
export { verifyStorageRoot, WrongStorageRoot } from './installation/verify-storage-root.js';
export { verifyStorageWhenReachable } from './installation/verify-storage-when-reachable.js';
export { deliveryBacklog, type DeliveryBacklog } from './deliveries/delivery-backlog.js';
export { type ClaimedDelivery, type DeliveryLane, deliveryLanes } from './deliveries/claimed-delivery.js';
export {
  type DeliveryClaim,
  type DeliveryClaimRequest,
  DeliveryQueue,
  type DeliverySettlement,
  type NextOfDelivery,
  type SweptDeliveries,
} from './deliveries/delivery-queue.js';
export { EndpointHealthStore, type LockedEndpoint } from './endpoints/endpoint-health-store.js';
