import pg from 'pg';
import type { ApiClient } from '../support/api-client.js';
import { waitingForLocks } from '../support/waiting-for-locks.js';
import type { Service } from './service.js';

/** A session of somebody else that keeps requests with keys from being committed. */
export interface HeldKeys {
  /** Rolls back and ends the session; once is enough. */
  release(): Promise<void>;
}

/** Keeps every key from being taken; all can be read. */
export async function holdAllKeys(service: Service): Promise<HeldKeys> {
  return hold(service, 'LOCK TABLE idempotency_keys IN SHARE ROW EXCLUSIVE MODE', []);
}

/** Has a key of this client's account and this route, uncommitted. */
export async function holdKey(service: Service, client: ApiClient, route: string, key: string): Promise<HeldKeys> {
  return hold(
    service,
    `INSERT INTO idempotency_keys (account_id, route, key, fingerprint, status, content_type, body)
     SELECT account_id, $2, $3, '', 0, '', '' FROM api_keys WHERE secret_sha256 = sha256(convert_to($1, 'UTF8'))`,
    [client.apiKey, route, key],
  );
}

/** How many connections of the pools for admission wait for a lock. */
export function admissionsThatWait({ cluster }: Service): Promise<number> {
  return waitingForLocks((sql, values) => cluster.query(sql, values), 'pdfonce admission');
}

async function hold(service: Service, sql: string, values: readonly string[]): Promise<HeldKeys> {
  const session = new pg.Client({ connectionString: service.cluster.databaseUrl });
  // The database may be dropped below it when a test has failed.
  session.on('error', () => undefined);
  await session.connect();
  await session.query('BEGIN');
  await session.query(sql, [...values]);
  let ending: Promise<void> | undefined;
  return {
    release: () => {
      ending ??= session.query('ROLLBACK').then(() => session.end());
      return ending;
    },
  };
}
