import { type Environment, readSettings, type Settings, SettingsError } from '#libs/contract';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readApiConfig } from '../../api/src/config.js';
import { readDispatcherConfig } from '../../dispatcher/src/config.js';
import { readWorkerConfig } from '../../worker/src/config.js';

/** Without LOG_LEVEL only warnings are logged: the terminal belongs to the welcome. */
export const quietly: Environment = { LOG_LEVEL: 'warn' };

const loopback = '127.0.0.0/8,::1/128';

/** What the service needs to know before it opens anything. */
export type StartSettings = Settings<'DATA_DIR' | 'HOST' | 'PORT'>;

/**
 * Reads what a start needs, and checks what the apps will read, so that nothing is opened for a start that cannot be.
 *
 * @throws SettingsError naming every setting at fault
 */
export function readStartSettings(env: Environment): StartSettings {
  const made = {
    port: 3000,
    databaseUrl: 'postgres://127.0.0.1/postgres',
    directory: tmpdir(),
    secretKey: newSecretKey(),
  };
  const app = appEnvironment(env, made);
  const read = (): StartSettings => readSettings(env, ['DATA_DIR', 'HOST', 'PORT']);
  const checks = [read, () => readApiConfig(app), () => readWorkerConfig(app), () => readDispatcherConfig(app)];
  const problems = new Set(checks.flatMap(problemsOf));
  if (problems.size > 0) throw new SettingsError([...problems]);
  return read();
}

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

/** What the service makes for itself instead of being told. */
export interface OwnSettings {
  readonly port: number;
  readonly databaseUrl: string;
  readonly directory: string;
  readonly secretKey: string;
}

/** The environment that the apps in this process read: the service's own Postgres, storage and secret key, no Kafka, webhooks to loopback. */
export function appEnvironment(env: Environment, own: OwnSettings): Environment {
  return {
    ...quietly,
    ...env,
    PORT: String(own.port),
    DATABASE_URL: own.databaseUrl,
    STORAGE_URL: pathToFileURL(join(own.directory, 'objects')).href,
    SECRET_KEY: own.secretKey,
    KAFKA_BROKERS: undefined,
    WEBHOOK_ALLOW: [env['WEBHOOK_ALLOW'], loopback].filter((list) => list).join(','),
  };
}

const replaced = ['DATABASE_URL', 'STORAGE_URL', 'SECRET_KEY', 'KAFKA_BROKERS'] as const;

/** What the operator is told whose environment has settings that {@link appEnvironment} replaces; `null` when it has none of them. */
export function ignoredSettings(env: Environment, directory: string): string | null {
  const ignored = replaced.filter((name) => env[name]);
  if (ignored.length === 0) return null;
  const instead = `its own Postgres, storage and secret key, in ${directory}, and no Kafka`;
  return `${ignored.join(', ')}: npm start does not use what the environment says; it has ${instead}`;
}

/** A new SECRET_KEY of one key. */
export function newSecretKey(): string {
  return `k1:${randomBytes(32).toString('base64')}`;
}
