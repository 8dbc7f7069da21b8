import type { OutputLinks, SecretKeyring } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import type { Database, OutboxRoute } from '#libs/persistence';
import type { BlobStore } from '#libs/storage';
import type { Logger } from 'pino';
import type { ApiConfig } from './config.js';

/** What the API is made of; a process opens them once and closes them last. */
export interface ApiParts {
  readonly config: ApiConfig;
  /** The pool with short limits, for admission alone. */
  readonly admissionDatabase: Database;
  /** The pool on which budgets are charged. */
  readonly rateLimitDatabase: Database;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly keyring: SecretKeyring;
  readonly links: OutputLinks;
  readonly announcer: Announcer;
  /** Where the outbox rows of commands go. */
  readonly commandRoute: OutboxRoute;
  /** Where the outbox rows of events go. */
  readonly eventRoute: OutboxRoute;
  /** Whether Kafka is connected; `null` without Kafka. */
  readonly isKafkaConnected: (() => boolean) | null;
  readonly log: Logger;
}
