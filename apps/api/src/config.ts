import { type Environment, readSettings, type Settings } from '#libs/contract';

const names = [
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'DATABASE_URL',
  'DATABASE_POOL',
  'KAFKA_BROKERS',
  'KAFKA_SASL',
  'KAFKA_TLS',
  'STORAGE_URL',
  'SECRET_KEY',
  'IDEMPOTENCY_TTL',
  'ARTIFACT_TTL',
  'JOB_TTL',
  'FILE_TTL',
  'UPLOAD_TIMEOUT',
  'REQUIRE_IDEMPOTENCY_KEY',
  'RATE_LIMIT',
  'POLL_INTERVAL',
  'INPUT_ALLOW',
  'MAX_FILE_SIZE',
  'MAX_REQUEST_SIZE',
  'WEBHOOK_ALLOW',
  'SHUTDOWN_GRACE',
  'LOG_LEVEL',
] as const;

/** The settings of the API process. */
export type ApiConfig = Settings<(typeof names)[number]>;

/** @throws SettingsError naming every setting at fault */
export function readApiConfig(env: Environment): ApiConfig {
  return readSettings(env, names);
}
