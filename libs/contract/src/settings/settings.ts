import { parseSetting, SettingProblem, type SettingKind, type SettingValues } from './parse-setting.js';

/** One setting: how it is spelt, what it is without one, what it does. */
export interface Setting {
  readonly kind: SettingKind;
  /** In the spelling of the environment; `null` means that the process cannot start without it, `''` that it is off. */
  readonly default: string | null;
  readonly meaning: string;
}

/** Every setting of every process. The table in the documentation is this one. */
export const settings = {
  HOST: { kind: 'text', default: '127.0.0.1', meaning: 'Address to listen on.' },
  PORT: { kind: 'port', default: '3000', meaning: 'Port to listen on; 0 takes a free one.' },
  PUBLIC_URL: {
    kind: 'url',
    default: '',
    meaning: 'Base URL of every link that is handed out. Without it: the address listened on.',
  },
  DATABASE_URL: { kind: 'url', default: null, meaning: 'Postgres 15 or newer. Standalone makes its own.' },
  DATABASE_POOL: {
    kind: 'integer',
    default: '10',
    meaning: 'Connections of each pool; a process has at most two pools. The API has up to 4 more for rate limits.',
  },
  KAFKA_BROKERS: {
    kind: 'list',
    default: '',
    meaning: 'host:port, comma-separated. Without it processes find work by poll.',
  },
  KAFKA_SASL: {
    kind: 'sasl',
    default: '',
    meaning: 'mechanism:user:password, mechanism plain, scram-sha-256 or scram-sha-512.',
  },
  KAFKA_TLS: {
    kind: 'boolean',
    default: 'false',
    meaning: 'Connect to Kafka by TLS. NODE_EXTRA_CA_CERTS names an authority of your own.',
  },
  STORAGE_URL: {
    kind: 'storage',
    default: null,
    meaning: 'file:///path, shared by all processes. Standalone uses its data directory.',
  },
  SECRET_KEY: {
    kind: 'keyring',
    default: null,
    meaning: 'id:base64 (32 bytes or more), comma-separated; the first signs and encrypts, all verify and decrypt.',
  },
  DATA_DIR: { kind: 'text', default: 'data', meaning: 'Standalone only: where everything is kept.' },
  IDEMPOTENCY_TTL: {
    kind: 'duration',
    default: '24h',
    meaning: 'How long a key is kept, from the later of its creation and the end of its job.',
  },
  ARTIFACT_TTL: { kind: 'duration', default: '7d', meaning: 'How long outputs are kept.' },
  JOB_TTL: { kind: 'duration', default: '30d', meaning: 'How long ended jobs are kept.' },
  EVENT_TTL: { kind: 'duration', default: '30d', meaning: 'How long events and their deliveries are kept.' },
  FILE_TTL: { kind: 'duration', default: '24h', meaning: 'How long uploaded files are kept.' },
  UPLOAD_TIMEOUT: { kind: 'duration', default: '15m', meaning: 'Longest time one upload may take.' },
  REQUIRE_IDEMPOTENCY_KEY: { kind: 'boolean', default: 'false', meaning: 'Refuse a create request without a key.' },
  RATE_LIMIT: {
    kind: 'rate',
    default: '600/60s',
    meaning:
      'New requests that an account may make in a window; npm run keys -- limit gives an account its own. Replays are free.',
  },
  WORKER_CONCURRENCY: { kind: 'integer', default: '2', meaning: 'Jobs that one worker runs at once.' },
  JOB_TIMEOUT: {
    kind: 'duration',
    default: '10m',
    meaning: 'Longest time, and most processor time, one attempt may take.',
  },
  JOB_MEMORY: {
    kind: 'size',
    default: '1GB',
    meaning:
      'Most RAM of the process that runs one attempt; where the system neither bounds nor tells it, only its heap is bounded.',
  },
  JOB_MAX_ATTEMPTS: { kind: 'integer', default: '3', meaning: 'Attempts before a job fails with attempts_exhausted.' },
  JOB_LEASE: {
    kind: 'duration',
    default: '20s',
    meaning: 'How long a job stays with a worker that is not heard of. Renewed every second.',
  },
  POLL_INTERVAL: {
    kind: 'duration',
    default: '500ms',
    meaning: 'How often a process looks for work that nothing told it of.',
  },
  INPUT_TIMEOUT: {
    kind: 'duration',
    default: '5m',
    meaning: 'Longest time in which one attempt fetches its inputs by url.',
  },
  INPUT_ALLOW: {
    kind: 'addresses',
    default: '',
    meaning: 'Hosts and CIDRs that inputs by url may be fetched from though they are not public.',
  },
  MAX_FILE_SIZE: { kind: 'size', default: '200MB', meaning: 'Largest single file.' },
  MAX_REQUEST_SIZE: { kind: 'size', default: '500MB', meaning: 'Largest request body.' },
  MAX_PAGES: { kind: 'integer', default: '10000', meaning: 'Most pages of all inputs of one job together.' },
  MAX_OUTPUTS: { kind: 'integer', default: '10000', meaning: 'Most outputs of one job.' },
  MAX_OUTPUT_SIZE: { kind: 'size', default: '1GB', meaning: 'Largest size of all outputs of one job together.' },
  WEBHOOK_TIMEOUT: {
    kind: 'duration',
    default: '15s',
    meaning: 'Longest time one webhook request may take, 5m at most.',
  },
  WEBHOOK_CONCURRENCY: {
    kind: 'integer',
    default: '50',
    meaning: 'Webhook requests that one dispatcher has open at once.',
  },
  WEBHOOK_ALLOW: {
    kind: 'addresses',
    default: '',
    meaning: 'Hosts and CIDRs that webhooks may reach though they are not public.',
  },
  SHUTDOWN_GRACE: { kind: 'duration', default: '25s', meaning: 'How long running work may go on after SIGTERM.' },
  LOG_LEVEL: { kind: 'level', default: 'info', meaning: 'Least severe log record that is written.' },
} as const satisfies Readonly<Record<string, Setting>>;

/** The name of a setting. */
export type SettingName = keyof typeof settings;

/** Kinds for which nothing is a value: the empty list. */
type MayBeEmpty = 'list' | 'addresses';

/** The parsed value of a setting; one whose default is off may be `null`. */
type SettingValue<N extends SettingName> =
  | SettingValues[(typeof settings)[N]['kind']]
  | ((typeof settings)[N]['default'] extends ''
      ? (typeof settings)[N]['kind'] extends MayBeEmpty
        ? never
        : null
      : never);

/** Settings by name. */
export type Settings<N extends SettingName> = { readonly [K in N]: SettingValue<K> };

/** One or more settings have no usable value; there is one message for each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Where settings are read from. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the named settings from an environment. An empty value counts as absent.
 *
 * @param defaults of this process, in place of those of the table
 * @throws SettingsError naming every setting at fault, never showing a value
 */
export function readSettings<N extends SettingName>(
  env: Environment,
  names: readonly N[],
  defaults: Partial<Readonly<Record<N, string>>> = {},
): Settings<N> {
  const problems: string[] = [];
  const values = names.map((name) => {
    const text = env[name]?.trim() || (defaults[name] ?? settings[name].default);
    return [name, readSetting(name, text, problems)] as const;
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze(Object.fromEntries(values)) as Settings<N>;
}

function readSetting(name: SettingName, text: string | null, problems: string[]): unknown {
  const { kind, meaning }: Setting = settings[name];
  if (text === null) return void problems.push(`${name} is not set: ${meaning}`);
  if (text === '' && kind !== 'list' && kind !== 'addresses') return null;
  try {
    return parseSetting(kind, text);
  } catch (error) {
    if (!(error instanceof SettingProblem)) throw error;
    return void problems.push(`${name} ${error.message}`);
  }
}
