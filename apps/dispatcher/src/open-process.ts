import { consumerGroups, topics } from '#libs/messaging';
import { openDatabase, openProcessMessaging } from '#libs/process';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { Logger } from 'pino';
import type { DispatcherProcessConfig } from './config.js';
import type { DispatcherParts } from './dispatcher.module.js';

/** A dispatcher process: its parts and what is started with it and closed after it. */
export interface DispatcherProcess {
  readonly parts: DispatcherParts;
  readonly strategy: CustomTransportStrategy;
  /** `null` without Kafka. */
  readonly isKafkaConnected: (() => boolean) | null;
  start(): void;
  close(): Promise<void>;
}

/** Opens the parts of a dispatcher process. Neither Postgres nor Kafka has to be reachable. */
export function openProcess(config: DispatcherProcessConfig, log: Logger): DispatcherProcess {
  const database = openDatabase(config, 'work', log);
  const messaging = openProcessMessaging(config, 'pdfonce-dispatcher', database, log);
  return {
    parts: {
      ...{ config, database, log },
      keyring: config.SECRET_KEY,
      announcer: messaging.announcer,
      eventRoute: { topic: topics.events, state: messaging.outboxState },
    },
    strategy: messaging.transport(consumerGroups.dispatcher),
    isKafkaConnected: messaging.isConnected,
    start: () => messaging.start(),
    close: async () => {
      await messaging.stop();
      await database.close();
    },
  };
}
