import { OutputLinks } from '#libs/domain';
import { topics } from '#libs/messaging';
import { verifyStorageWhenReachable } from '#libs/persistence';
import { type Fail, openDatabase, openProcessMessaging, publicUrl } from '#libs/process';
import { openBlobStore } from '#libs/storage';
import type { Logger } from 'pino';
import type { ApiParts } from './api-parts.js';
import type { ApiConfig } from './config.js';
import { openRateLimitDatabase } from './rate-limit/open-rate-limit-database.js';

/** An API process: its parts and what is started with it and closed after it. */
export interface ApiProcess {
  readonly parts: ApiParts;
  start(): void;
  close(): Promise<void>;
}

/** Opens the parts of an API process. Neither Postgres nor Kafka has to be reachable. */
export async function openProcess(config: ApiConfig, log: Logger, fail: Fail): Promise<ApiProcess> {
  const database = openDatabase(config, 'work', log);
  const admissionDatabase = openDatabase(config, 'admission', log);
  const rateLimitDatabase = openRateLimitDatabase(config, log);
  const messaging = openProcessMessaging(config, 'pdfonce-api', database, log);
  const blobs = await openBlobStore(config.STORAGE_URL);
  const closing = new AbortController();
  return {
    parts: {
      ...{ config, admissionDatabase, rateLimitDatabase, database, blobs, log },
      keyring: config.SECRET_KEY,
      links: new OutputLinks(publicUrl(config), config.SECRET_KEY),
      announcer: messaging.announcer,
      commandRoute: { topic: topics.jobs, state: messaging.outboxState },
      eventRoute: { topic: topics.events, state: messaging.outboxState },
      isKafkaConnected: messaging.isConnected,
    },
    start: () => {
      messaging.start();
      verifyStorageWhenReachable(database, blobs, { signal: closing.signal, log }).catch(fail);
    },
    close: async () => {
      closing.abort();
      await messaging.stop();
      await Promise.all([database.close(), admissionDatabase.close(), rateLimitDatabase.close()]);
    },
  };
}
