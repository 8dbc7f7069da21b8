export { Database, type Queryable, type Tx } from './database/database.js';
export type { DatabaseOptions, DatabasePurpose } from './database/pool-config.js';
export { brokenConstraint, isLockTimeout, isRolledBack, isUnavailable } from './database/postgres-error.js';
export { EventStore, type EventSubject } from './events/event-store.js';
export { statement, type Statement } from './database/statement.js';
export { migrate, revertMigration } from './migrations/migrate.js';
export type { OutboxRoute, OutboxRow } from './outbox/outbox-route.js';
export { OutboxStore } from './outbox/outbox-store.js';
export { type NewObject, type ObjectContent, ObjectStore } from './objects/object-store.js';
