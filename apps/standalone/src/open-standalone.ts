import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutputLinks, SecretKeyring } from '#libs/domain';
import { type Messaging, openMessaging, topics } from '#libs/messaging';
import { Database, migrate, OutboxStore } from '#libs/persistence';
import type { Environment } from '#libs/process';
import { openBlobStore } from '#libs/storage';
import { scopes } from '#libs/contract';
import type { Logger } from 'pino';
import { type ApiConfig, readApiConfig } from '../../api/src/config.js';
import { apiKeySecret, createApiKey } from '../../api/src/create-api-key.js';
import { readDispatcherConfig } from '../../dispatcher/src/config.js';
import { readWorkerConfig } from '../../worker/src/config.js';
import { appEnvironment, newSecretKey } from './config.js';
import type { DataDirectory } from './data-directory/open-data-directory.js';
import { startEmbeddedPostgres } from './embedded-postgres/start-embedded-postgres.js';
import type { StandaloneParts } from './standalone.module.js';

/** A standalone service that is ready to be wired. */
export interface OpenedStandalone {
  readonly parts: StandaloneParts;
  readonly messaging: Messaging;
  readonly apiKey: string;
  /** Closes the connections, then stops Postgres: the last thing that ends. */
  readonly close: () => Promise<void>;
}

const poolSize = 10;

/** Starts the service's own Postgres, brings its schema up to date and opens what the apps share. */
export async function openStandalone(data: DataDirectory, env: Environment, log: Logger): Promise<OpenedStandalone> {
  const postgres = await startEmbeddedPostgres({ directory: join(data.path, 'postgres'), log });
  try {
    await migrate(postgres.url);
    const secretKey = await data.keptSecret('secret-key', newSecretKey);
    const own = appEnvironment(env, { databaseUrl: postgres.url, directory: data.path, secretKey });
    const database = openDatabase(postgres.url, 'work', log);
    const admissionDatabase = openDatabase(postgres.url, 'admission', log);
    const apiKey = await data.keptSecret('api-key', apiKeySecret);
    await createApiKey(database, apiKey, { account: 'default', name: 'standalone', scopes });
    const messaging = openLocalMessaging(database, log);
    return {
      parts: await partsOf({ env: own, database, admissionDatabase, messaging, log }),
      messaging,
      apiKey,
      close: async () => {
        await messaging.stop();
        await Promise.all([database.close(), admissionDatabase.close()]);
        await postgres.stop();
      },
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

function openDatabase(url: string, purpose: 'admission' | 'work', log: Logger): Database {
  return new Database({
    url,
    purpose,
    poolSize,
    onConnectionLost: (error) => log.warn({ err: error, purpose }, 'database.connection-lost'),
  });
}

function openLocalMessaging(database: Database, log: Logger): Messaging {
  const kafka = { brokers: [], tls: false, sasl: null };
  return openMessaging({ kafka, clientId: 'pdfonce', source: new OutboxStore(database), pollMs: 500, log });
}

interface Opened {
  readonly env: Environment;
  readonly database: Database;
  readonly admissionDatabase: Database;
  readonly messaging: Messaging;
  readonly log: Logger;
}

async function partsOf({ env, database, admissionDatabase, messaging, log }: Opened): Promise<StandaloneParts> {
  const config = readApiConfig(env);
  const keyring = SecretKeyring.parse(config.SECRET_KEY);
  const blobs = await openBlobStore(config.STORAGE_URL);
  const { announcer, outboxState } = messaging;
  const shared = { database, blobs, keyring, links: new OutputLinks(publicUrl(config), keyring), announcer, log };
  const eventRoute = { topic: topics.events, state: outboxState };
  return {
    api: {
      ...shared,
      config,
      admissionDatabase,
      commandRoute: { topic: topics.jobs, state: outboxState },
      isKafkaConnected: null,
    },
    worker: {
      ...shared,
      config: readWorkerConfig(env),
      eventRoute,
      temporaryRoot: tmpdir(),
      onFatal: (error) => exitOn(error, log),
    },
    dispatcher: { ...shared, eventRoute },
    dispatcherConfig: readDispatcherConfig(env),
  };
}

/** Where the service is reached: as told, or at the address it listens on. */
export function publicUrl({ PUBLIC_URL, HOST, PORT }: Pick<ApiConfig, 'PUBLIC_URL' | 'HOST' | 'PORT'>): string {
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  return PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

function exitOn(error: unknown, log: Logger): void {
  log.fatal({ err: error }, 'standalone.cannot-go-on');
  process.exit(1);
}
