import type { Settings } from '#libs/contract';
import { reach } from '#libs/failpoints';
import { type Messaging, openMessaging } from '#libs/messaging';
import { Database, type DatabasePurpose, OutboxStore } from '#libs/persistence';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { graceOf } from './grace-of.js';

const relayed = new Counter({
  name: 'pdfonce_outbox_records_total',
  help: 'Outbox records by what became of them; failed counts tries',
  labelNames: ['outcome'],
});

/** Opens a pool; nothing connects before the first statement. */
export function openDatabase(
  { DATABASE_URL, DATABASE_POOL }: Settings<'DATABASE_URL' | 'DATABASE_POOL'>,
  purpose: DatabasePurpose,
  log: Logger,
): Database {
  return new Database({
    url: DATABASE_URL,
    purpose,
    poolSize: DATABASE_POOL,
    onConnectionLost: (error) => log.warn({ err: error, purpose }, 'database.connection-lost'),
  });
}

/** Messaging with the outbox of this database: the one place where persistence and messaging meet. */
export function openProcessMessaging(
  config: Settings<'KAFKA_BROKERS' | 'KAFKA_SASL' | 'KAFKA_TLS' | 'POLL_INTERVAL' | 'SHUTDOWN_GRACE'>,
  clientId: string,
  database: Database,
  log: Logger,
): Messaging {
  return openMessaging({
    kafka: { brokers: config.KAFKA_BROKERS, tls: config.KAFKA_TLS, sasl: config.KAFKA_SASL },
    clientId,
    source: new OutboxStore(database),
    pollMs: config.POLL_INTERVAL,
    closeMs: graceOf(config.SHUTDOWN_GRACE).closeMs,
    afterPublish: () => reach('relay.after-publish'),
    observe: {
      published: (records) => relayed.inc({ outcome: 'published' }, records),
      failed: () => relayed.inc({ outcome: 'failed' }),
      dead: () => relayed.inc({ outcome: 'dead' }),
    },
    log,
  });
}

const defaultPort = 3000;

/** The base of every link: as told, or where the API listens by default. */
export function publicUrl({
  PUBLIC_URL,
  HOST,
  PORT,
}: Pick<Settings<'PUBLIC_URL' | 'HOST' | 'PORT'>, 'PUBLIC_URL'> & Partial<Settings<'HOST' | 'PORT'>>): string {
  if (PUBLIC_URL !== null) return PUBLIC_URL;
  const host = HOST === undefined || HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT ?? defaultPort}`;
}
