import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, scopes } from '#libs/contract';
import { OutputLinks } from '#libs/domain';
import { localMessaging, type Messaging, topics } from '#libs/messaging';
import { type Database, migrate } from '#libs/persistence';
import { type Fail, openDatabase, publicUrl } from '#libs/process';
import { openBlobStore } from '#libs/storage';
import type { Logger } from 'pino';
import { type ApiConfig, readApiConfig } from '../../api/src/config.js';
import { apiKeySecret, createApiKey } from '../../api/src/manage-api-keys/create-api-key.js';
import { openRateLimitDatabase } from '../../api/src/rate-limit/open-rate-limit-database.js';
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

/** What a start is given. */
export interface StandaloneStart {
  readonly port: number;
  readonly env: Environment;
  readonly log: Logger;
  readonly fail: Fail;
}

/** Starts the service's own Postgres, brings its schema up to date and opens what the apps share. */
export async function openStandalone(data: DataDirectory, start: StandaloneStart): Promise<OpenedStandalone> {
  const { env, log, port } = start;
  const postgres = await startEmbeddedPostgres({ directory: join(data.path, 'postgres'), log });
  try {
    await migrate(postgres.url);
    const secretKey = await data.keptSecret('secret-key', newSecretKey);
    const own = appEnvironment(env, { port, databaseUrl: postgres.url, directory: data.path, secretKey });
    const config = readApiConfig(own);
    const database = openDatabase(config, 'work', log);
    const admissionDatabase = openDatabase(config, 'admission', log);
    const rateLimitDatabase = openRateLimitDatabase(config, log);
    const apiKey = await data.keptSecret('api-key', apiKeySecret);
    await createApiKey(database, apiKey, { account: 'default', name: 'standalone', scopes });
    const messaging = localMessaging(log);
    const databases = { database, admissionDatabase, rateLimitDatabase };
    const parts = await partsOf({ ...start, ...databases, env: own, config, messaging });
    const close = async (): Promise<void> => {
      await Promise.all(Object.values(databases).map((each) => each.close()));
      await postgres.stop();
    };
    return { parts, messaging, apiKey, close };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

interface Opened extends StandaloneStart {
  readonly config: ApiConfig;
  readonly database: Database;
  readonly admissionDatabase: Database;
  readonly rateLimitDatabase: Database;
  readonly messaging: Messaging;
}

async function partsOf(opened: Opened): Promise<StandaloneParts> {
  const { env, config, database, admissionDatabase, rateLimitDatabase, messaging, log, fail } = opened;
  const keyring = config.SECRET_KEY;
  const { announcer, outboxState } = messaging;
  const links = new OutputLinks(publicUrl(config), keyring);
  const shared = { database, blobs: await openBlobStore(config.STORAGE_URL), keyring, links, announcer, log };
  const commandRoute = { topic: topics.jobs, state: outboxState };
  const eventRoute = { topic: topics.events, state: outboxState };
  return {
    api: { ...shared, config, admissionDatabase, rateLimitDatabase, commandRoute, eventRoute, isKafkaConnected: null },
    worker: { ...shared, config: readWorkerConfig(env), eventRoute, temporaryRoot: tmpdir(), onFatal: fail },
    dispatcher: { ...shared, config: readDispatcherConfig(env), eventRoute },
  };
}
