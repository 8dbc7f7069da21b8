import type { OutputLinks, SecretKeyring } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import type { Database, OutboxRoute } from '#libs/persistence';
import type { BlobStore } from '#libs/storage';
import type { Logger } from 'pino';
import type { WorkerConfig } from './config.js';

/** What a worker is made of; a process opens them once and closes them last. */
export interface WorkerParts {
  readonly config: WorkerConfig;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly keyring: SecretKeyring;
  readonly links: OutputLinks;
  /** Told of every event after its commit. */
  readonly announcer: Announcer;
  /** Where the outbox rows of events go. */
  readonly eventRoute: OutboxRoute;
  /** Where jobs have their temporary directories; the process may write there. */
  readonly temporaryRoot: string;
  readonly log: Logger;
  /** Told once if the worker can never work, such as with the wrong storage. */
  readonly onFatal: (error: unknown) => void;
}
