import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { Logger } from 'pino';
import { reach, SecretKeyring } from '#libs/domain';
import { consumerGroups, openMessaging, topics } from '#libs/messaging';
import { Database, OutboxStore } from '#libs/persistence';
import type { DispatcherProcessConfig } from './config.js';
import type { DispatcherParts } from './dispatcher.module.js';

/** A dispatcher process: its parts and what is started with it and closed after it. */
export interface DispatcherProcess {
  readonly config: DispatcherProcessConfig;
  readonly parts: DispatcherParts;
  readonly strategy: CustomTransportStrategy;
  /** `null` without Kafka. */
  readonly isKafkaConnected: (() => boolean) | null;
  start(): void;
  close(): Promise<void>;
}

/** Opens the parts of a dispatcher process. Neither Postgres nor Kafka has to be reachable. */
export function openProcess(config: DispatcherProcessConfig, log: Logger): DispatcherProcess {
  const database = new Database({
    url: config.DATABASE_URL,
    purpose: 'work',
    poolSize: config.DATABASE_POOL,
    onConnectionLost: (error) => log.warn({ err: error }, 'database.connection-lost'),
  });
  const messaging = openMessaging({
    kafka: { brokers: config.KAFKA_BROKERS, tls: config.KAFKA_TLS, sasl: config.KAFKA_SASL },
    clientId: 'pdfonce-dispatcher',
    source: new OutboxStore(database),
    pollMs: config.POLL_INTERVAL,
    afterPublish: () => reach('relay.after-publish'),
    log,
  });
  const parts: DispatcherParts = {
    database,
    keyring: SecretKeyring.parse(config.SECRET_KEY),
    announcer: messaging.announcer,
    eventRoute: { topic: topics.events, state: messaging.outboxState },
    log,
  };
  return {
    config,
    parts,
    strategy: messaging.transport(consumerGroups.dispatcher),
    isKafkaConnected: messaging.isConnected,
    start: () => messaging.start(),
    close: async () => {
      await messaging.stop();
      await database.close();
    },
  };
}
