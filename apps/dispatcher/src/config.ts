import { type Environment, readSettings, type Settings, SettingsError } from '#libs/contract';

const deliverySettings = [
  'POLL_INTERVAL',
  'WEBHOOK_TIMEOUT',
  'WEBHOOK_CONCURRENCY',
  'WEBHOOK_ALLOW',
  'SHUTDOWN_GRACE',
] as const;

const processSettings = [
  ...deliverySettings,
  'HOST',
  'PORT',
  'DATABASE_URL',
  'DATABASE_POOL',
  'KAFKA_BROKERS',
  'KAFKA_SASL',
  'KAFKA_TLS',
  'SECRET_KEY',
  'LOG_LEVEL',
] as const;

/** The settings that deliveries depend on, whichever process makes them. */
export type DispatcherConfig = Settings<(typeof deliverySettings)[number]>;

/** The settings of the dispatcher process. */
export type DispatcherProcessConfig = Settings<(typeof processSettings)[number]>;

/** Many may run on one machine, and only a health check asks them for anything. */
const defaults = { PORT: '0' };

/** A delivery is claimed for the time-out and 15 s more: nobody else sends what a dead dispatcher held before that. */
const longestTimeoutMs = 5 * 60_000;

/** @throws SettingsError naming every setting at fault */
export function readDispatcherConfig(env: Environment): DispatcherProcessConfig {
  const config = readSettings(env, processSettings, defaults);
  if (config.WEBHOOK_TIMEOUT > longestTimeoutMs) {
    throw new SettingsError([
      'WEBHOOK_TIMEOUT must be at most 5m: what a dead dispatcher held waits for longer than that',
    ]);
  }
  return config;
}
