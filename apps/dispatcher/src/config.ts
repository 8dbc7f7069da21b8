import { readSettings, type Settings, SettingsError } from '#libs/contract';
import { AddressAllowList, AllowListError, SecretKeyError, SecretKeyring } from '#libs/domain';

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

/** Without PORT a dispatcher takes a free one: many may run on one machine, and only a health check asks them for anything. */
const defaults = { PORT: '0' };

/** @throws SettingsError naming every setting at fault */
export function readDispatcherConfig(env: Readonly<Record<string, string | undefined>>): DispatcherProcessConfig {
  const config = readSettings({ ...env, PORT: env['PORT'] || defaults.PORT }, processSettings);
  const problems = [
    ...problemOf('SECRET_KEY', SecretKeyError, () => SecretKeyring.parse(config.SECRET_KEY)),
    ...problemOf('WEBHOOK_ALLOW', AllowListError, () => AddressAllowList.parse(config.WEBHOOK_ALLOW)),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  return config;
}

function problemOf(name: string, expected: new () => Error, parse: () => unknown): string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (!(error instanceof expected)) throw error;
    return [`${name} cannot be used: ${error.message}`];
  }
}
