import { readSettings, type Settings } from '#libs/contract';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of the standalone service itself; the rest are those of the apps in it. */
export type StandaloneConfig = Settings<'DATA_DIR' | 'HOST' | 'PORT' | 'LOG_LEVEL'>;

/** Without LOG_LEVEL only warnings are logged: the terminal belongs to the welcome. */
export const quietly: Environment = { LOG_LEVEL: 'warn' };

const loopback = '127.0.0.0/8,::1/128';

/** @throws SettingsError naming every setting at fault */
export function readStandaloneConfig(env: Environment): StandaloneConfig {
  return readSettings({ ...quietly, ...env }, ['DATA_DIR', 'HOST', 'PORT', 'LOG_LEVEL']);
}

/** What the service makes for itself instead of being told. */
export interface OwnSettings {
  readonly databaseUrl: string;
  readonly directory: string;
  readonly secretKey: string;
}

/** The environment that the apps in this process read: the service's own Postgres, storage and secret key, no Kafka, webhooks to loopback. */
export function appEnvironment(env: Environment, own: OwnSettings): Environment {
  return {
    ...quietly,
    ...env,
    DATABASE_URL: own.databaseUrl,
    STORAGE_URL: pathToFileURL(join(own.directory, 'objects')).href,
    SECRET_KEY: own.secretKey,
    KAFKA_BROKERS: undefined,
    WEBHOOK_ALLOW: [env['WEBHOOK_ALLOW'], loopback].filter((list) => list).join(','),
  };
}

/** A new SECRET_KEY of one key. */
export function newSecretKey(): string {
  return `k1:${randomBytes(32).toString('base64')}`;
}
