import { OutputLinks, reach, SecretKeyring } from '#libs/domain';
import { consumerGroups, type Messaging, openMessaging, topics } from '#libs/messaging';
import { Database, OutboxStore } from '#libs/persistence';
import { openBlobStore } from '#libs/storage';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { tmpdir } from 'node:os';
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

/** Without PUBLIC_URL the links of events are those of an API with default settings. */
const defaultPublicUrl = 'http://127.0.0.1:3000';

/** Opens the parts of a worker process. Neither Postgres nor Kafka has to be reachable. */
export async function openProcess(
  config: WorkerProcessConfig,
  log: Logger,
  onFatal: (error: unknown) => void,
): Promise<WorkerProcess> {
  const keyring = SecretKeyring.parse(config.SECRET_KEY);
  const blobs = await openBlobStore(config.STORAGE_URL);
  const database = new Database({
    url: config.DATABASE_URL,
    purpose: 'work',
    poolSize: config.DATABASE_POOL,
    onConnectionLost: (error) => log.warn({ err: error }, 'database.connection-lost'),
  });
  const messaging = openWorkerMessaging(config, database, log);
  return {
    parts: {
      config,
      database,
      blobs,
      keyring,
      links: new OutputLinks(config.PUBLIC_URL ?? defaultPublicUrl, keyring),
      announcer: messaging.announcer,
      eventRoute: { topic: topics.events, state: messaging.outboxState },
      temporaryRoot: tmpdir(),
      log,
      onFatal,
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

function openWorkerMessaging(config: WorkerProcessConfig, database: Database, log: Logger): Messaging {
  return openMessaging({
    kafka: { brokers: config.KAFKA_BROKERS, tls: config.KAFKA_TLS, sasl: config.KAFKA_SASL },
    clientId: 'pdfonce-worker',
    source: new OutboxStore(database),
    pollMs: config.POLL_INTERVAL,
    afterPublish: () => reach('relay.after-publish'),
    log,
  });
}
