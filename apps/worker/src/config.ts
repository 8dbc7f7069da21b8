import { type Environment, readSettings, type Settings, SettingsError } from '#libs/contract';

const jobSettings = [
  'IDEMPOTENCY_TTL',
  'ARTIFACT_TTL',
  'JOB_TTL',
  'EVENT_TTL',
  'FILE_TTL',
  'UPLOAD_TIMEOUT',
  'WORKER_CONCURRENCY',
  'JOB_TIMEOUT',
  'JOB_MEMORY',
  'JOB_MAX_ATTEMPTS',
  'JOB_LEASE',
  'POLL_INTERVAL',
  'INPUT_TIMEOUT',
  'INPUT_ALLOW',
  'MAX_FILE_SIZE',
  'MAX_REQUEST_SIZE',
  'MAX_PAGES',
  'MAX_OUTPUTS',
  'MAX_OUTPUT_SIZE',
  'SHUTDOWN_GRACE',
] as const;

const processSettings = [
  ...jobSettings,
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
  'LOG_LEVEL',
] as const;

/** The settings that work on jobs depends on, whichever process does it. */
export type WorkerConfig = Settings<(typeof jobSettings)[number]>;

/** The settings of the worker process. */
export type WorkerProcessConfig = Settings<(typeof processSettings)[number]>;

const leastLeaseMs = 2_000;
const leastGraceMs = 1_000;

/** Many may run on one machine, and only a health check asks them for anything. */
const defaults = { PORT: '0' };

/** @throws SettingsError naming every setting at fault */
export function readWorkerConfig(env: Environment): WorkerProcessConfig {
  const config = readSettings(env, processSettings, defaults);
  const problems = workerConfigProblems(config);
  if (problems.length > 0) throw new SettingsError(problems);
  return config;
}

/** What is wrong with settings that are right each by itself: one sentence each. */
export function workerConfigProblems(config: WorkerConfig): string[] {
  const { JOB_LEASE, SHUTDOWN_GRACE, JOB_TTL, EVENT_TTL, IDEMPOTENCY_TTL, ARTIFACT_TTL } = config;
  const rules: readonly (readonly [boolean, string])[] = [
    [JOB_LEASE >= leastLeaseMs, 'JOB_LEASE must be at least 2s, or leases end between their renewals'],
    [SHUTDOWN_GRACE >= leastGraceMs, 'SHUTDOWN_GRACE must be at least 1s, or running jobs cannot be handed back'],
    [
      JOB_TTL > IDEMPOTENCY_TTL,
      'JOB_TTL must be longer than IDEMPOTENCY_TTL: a key names its job as long as it is kept',
    ],
    [JOB_TTL >= ARTIFACT_TTL, 'JOB_TTL must not be shorter than ARTIFACT_TTL: outputs go with their job'],
    [EVENT_TTL > IDEMPOTENCY_TTL, 'EVENT_TTL must be longer than IDEMPOTENCY_TTL'],
  ];
  return rules.filter(([holds]) => !holds).map(([, problem]) => problem);
}
