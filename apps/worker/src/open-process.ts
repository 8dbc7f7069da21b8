import { tmpdir } from 'node:os';
import { OutputLinks } from '#libs/domain';
import { consumerGroups, topics } from '#libs/messaging';
import { type Fail, openDatabase, openProcessMessaging, publicUrl } from '#libs/process';
import { openBlobStore } from '#libs/storage';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { Logger } from 'pino';
import type { WorkerProcessConfig } from './config.js';
import type { WorkerParts } from './worker-parts.js';

/** A worker process: its parts and what is started with it and closed after it. */
export interface WorkerProcess {
  readonly parts: WorkerParts;
  readonly strategy: CustomTransportStrategy;
  /** `null` without Kafka. */
  readonly isKafkaConnected: (() => boolean) | null;
  start(): void;
  close(): Promise<void>;
}

/** Opens the parts of a worker process. Neither Postgres nor Kafka has to be reachable. */
export async function openProcess(config: WorkerProcessConfig, log: Logger, fail: Fail): Promise<WorkerProcess> {
  const database = openDatabase(config, 'work', log);
  const messaging = openProcessMessaging(config, 'pdfonce-worker', database, log);
  const keyring = config.SECRET_KEY;
  return {
    parts: {
      ...{ config, database, keyring, log },
      blobs: await openBlobStore(config.STORAGE_URL),
      // HOST and PORT are those of this process, not of the API.
      links: new OutputLinks(publicUrl({ PUBLIC_URL: config.PUBLIC_URL }), keyring),
      announcer: messaging.announcer,
      eventRoute: { topic: topics.events, state: messaging.outboxState },
      temporaryRoot: tmpdir(),
      onFatal: fail,
    },
    strategy: messaging.transport(consumerGroups.worker),
    isKafkaConnected: messaging.isConnected,
    start: () => messaging.start(),
    close: async () => {
      await messaging.stop();
      await database.close();
    },
  };
}
