import { OutputLinks, reach, SecretKeyring } from '#libs/domain';
import { openMessaging, topics } from '#libs/messaging';
import { Database, OutboxStore } from '#libs/persistence';
import { openBlobStore } from '#libs/storage';
import type { Logger } from 'pino';
import type { ApiParts } from './api-parts.js';
import type { ApiConfig } from './config.js';
import { verifyStorage } from './verify-storage.js';

/** The parts of an API process of its own. */
export interface OpenedApi {
  readonly parts: ApiParts;
  /** Starts what runs in the background. */
  readonly start: (onFatal: (error: unknown) => void) => void;
  readonly close: () => Promise<void>;
}

/** Opens what the API is made of. Neither Postgres nor Kafka has to be reachable. */
export async function openApiParts(config: ApiConfig, log: Logger): Promise<OpenedApi> {
  const database = openDatabase(config, 'work', log);
  const admissionDatabase = openDatabase(config, 'admission', log);
  const closing = new AbortController();
  const keyring = SecretKeyring.parse(config.SECRET_KEY);
  const blobs = await openBlobStore(config.STORAGE_URL);
  const messaging = openMessaging({
    kafka: { brokers: config.KAFKA_BROKERS, tls: config.KAFKA_TLS, sasl: config.KAFKA_SASL },
    clientId: 'pdfonce-api',
    source: new OutboxStore(database),
    pollMs: config.POLL_INTERVAL,
    afterPublish: () => reach('relay.after-publish'),
    log,
  });
  return {
    parts: {
      config,
      admissionDatabase,
      database,
      blobs,
      keyring,
      links: new OutputLinks(config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`, keyring),
      announcer: messaging.announcer,
      commandRoute: { topic: topics.jobs, state: messaging.outboxState },
      isKafkaConnected: messaging.isConnected,
      log,
    },
    start: (onFatal) => {
      messaging.start();
      verifyStorage(database, blobs, closing.signal).catch(onFatal);
    },
    close: async () => {
      closing.abort();
      await messaging.stop();
      await Promise.all([database.close(), admissionDatabase.close()]);
    },
  };
}

function openDatabase(config: ApiConfig, purpose: 'admission' | 'work', log: Logger): Database {
  return new Database({
    url: config.DATABASE_URL,
    purpose,
    poolSize: config.DATABASE_POOL,
    onConnectionLost: (error) => log.warn({ err: error, purpose }, 'database.connection-lost'),
  });
}
