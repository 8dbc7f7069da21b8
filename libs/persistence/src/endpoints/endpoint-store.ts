import type { DisabledReason, EndpointState } from '#libs/domain';
import type { Queryable, Tx } from '../database/database.js';
import {
  countEndpoints,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockAccount,
  lockEndpoint,
  markEndpointDeleted,
  updateEndpoint,
} from './endpoint.sql.js';
import { disableEndpoint, enableEndpoint, hastenProbe } from './endpoint-health.sql.js';
import { insertSecret, retireSecrets } from './endpoint-secret.sql.js';

/** A secret that signs an endpoint's deliveries, without the secret itself. `expiresAt` is null for the one that is not replaced. */
export interface EndpointSecret {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** What an account says of its endpoint. */
export interface EndpointSettings {
  readonly url: string;
  /** Event types and patterns such as `job.*` */
  readonly eventTypes: readonly string[];
  readonly description: string | null;
  readonly sealedHeaders: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds before each attempt after the first; `null` for the default. */
  readonly retrySchedule: readonly number[] | null;
}

/** A webhook endpoint; ids are UUIDs. Its secrets are the live ones, newest first. */
export interface Endpoint extends EndpointSettings {
  readonly id: string;
  readonly state: EndpointState;
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
  readonly createdAt: Date;
  readonly secrets: readonly EndpointSecret[];
}

/** An endpoint to store. */
export interface NewEndpoint extends EndpointSettings {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
}

/** A secret to store: its UUID, and the secret sealed. */
export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
}

/** An endpoint that was disabled just now, and what its event is made of. */
export interface DisabledEndpoint {
  readonly accountId: string;
  readonly url: string;
  readonly failingSince: Date | null;
  readonly disabledAt: Date;
  /** Grows with every event of the endpoint. */
  readonly sequence: number;
}

interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly event_types: readonly string[];
  readonly description: string | null;
  readonly sealed_headers: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly retry_schedule: readonly number[] | null;
  readonly state: EndpointState;
  readonly failing_since: Date | null;
  readonly disabled_at: Date | null;
  readonly disabled_reason: DisabledReason | null;
  readonly created_at: Date;
  readonly secrets: readonly { readonly id: string; readonly createdAt: string; readonly expiresAt: string | null }[];
}

interface DisabledRow {
  readonly account_id: string;
  readonly url: string;
  readonly failing_since: Date | null;
  readonly disabled_at: Date;
  readonly sequence: number;
}

/** Webhook endpoints with their secrets. A deleted one is found by nobody. */
export class EndpointStore {
  constructor(private readonly database: Queryable) {}

  /** Makes others that add endpoints to the account wait for the end of this transaction, and says how many it has. */
  async lockAccountAndCount(tx: Tx, accountId: string): Promise<number> {
    await tx.query(lockAccount, [accountId]);
    const [row] = await tx.query<{ endpoints: number }>(countEndpoints, [accountId]);
    return row?.endpoints ?? 0;
  }

  /** Writes an endpoint, born healthy, with its first secret. */
  async insert(tx: Tx, endpoint: NewEndpoint, secret: SealedSecret): Promise<void> {
    await tx.query(insertEndpoint, [
      endpoint.id,
      endpoint.accountId,
      ...settingsOf(endpoint),
      endpoint.createdAt,
      secret.id,
      secret.sealed,
    ]);
  }

  /** The account's endpoint, `null` when it has none of that id. */
  async find(accountId: string, endpointId: string): Promise<Endpoint | null> {
    const [row] = await this.database.query<EndpointRow>(findEndpoint, [accountId, endpointId]);
    return row === undefined ? null : endpointOf(row);
  }

  /** One page of the account's endpoints, newest first; `before` is an endpoint's UUID. */
  async list(
    accountId: string,
    page: { readonly before?: string | undefined; readonly limit: number },
  ): Promise<Endpoint[]> {
    const rows = await this.database.query<EndpointRow>(listEndpoints, [accountId, page.before ?? null, page.limit]);
    return rows.map(endpointOf);
  }

  /** The account's endpoint as it is when nobody else changes it, `null` when it has none of that id; others wait for the end of this transaction. */
  async lock(tx: Tx, accountId: string, endpointId: string): Promise<Endpoint | null> {
    await tx.query(lockEndpoint, [accountId, endpointId]);
    return this.read(tx, accountId, endpointId);
  }

  /** The account's endpoint as this transaction sees it, `null` when it has none of that id. */
  async read(tx: Tx, accountId: string, endpointId: string): Promise<Endpoint | null> {
    return new EndpointStore(tx).find(accountId, endpointId);
  }

  /** Writes what an account says of an endpoint that this transaction has locked. */
  async update(tx: Tx, endpointId: string, settings: EndpointSettings): Promise<void> {
    await tx.query(updateEndpoint, [endpointId, ...settingsOf(settings)]);
  }

  /**
   * Gives an endpoint that this transaction has locked a new secret, and lets the others end after the overlap where they do not end before.
   *
   * @returns how many secrets sign now
   */
  async rotateSecret(tx: Tx, endpointId: string, secret: SealedSecret, overlapSeconds: number): Promise<number> {
    const retired = await tx.query<{ signs: boolean }>(retireSecrets, [endpointId, overlapSeconds]);
    await tx.query(insertSecret, [endpointId, secret.id, secret.sealed]);
    return 1 + retired.filter(({ signs }) => signs).length;
  }

  /** Enables an endpoint that this transaction has locked; a failing one is probed soon, a healthy one stays as it is. */
  async enable(tx: Tx, endpointId: string): Promise<void> {
    await tx.query(hastenProbe, [endpointId]);
    await tx.query(enableEndpoint, [endpointId]);
  }

  /** Deletes the account's endpoint; `false` when there is none of that id. */
  async markDeleted(accountId: string, endpointId: string): Promise<boolean> {
    const rows = await this.database.query(markEndpointDeleted, [accountId, endpointId]);
    return rows.length === 1;
  }

  /** Disables an endpoint because its account asked for it; `null` when it was disabled or deleted before. */
  async disable(tx: Tx, endpointId: string): Promise<DisabledEndpoint | null> {
    const [row] = await tx.query<DisabledRow>(disableEndpoint, [endpointId]);
    if (row === undefined) return null;
    return {
      accountId: row.account_id,
      url: row.url,
      failingSince: row.failing_since,
      disabledAt: row.disabled_at,
      sequence: row.sequence,
    };
  }
}

/** In the order of the statements that write them. */
function settingsOf(settings: EndpointSettings): readonly unknown[] {
  const { url, eventTypes, description, sealedHeaders, metadata, retrySchedule } = settings;
  return [url, eventTypes, description, sealedHeaders, metadata, retrySchedule];
}

function endpointOf(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    url: row.url,
    eventTypes: row.event_types,
    description: row.description,
    sealedHeaders: row.sealed_headers,
    metadata: row.metadata,
    retrySchedule: row.retry_schedule,
    state: row.state,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at,
    secrets: row.secrets.map(({ id, createdAt, expiresAt }) => ({
      id,
      createdAt: new Date(createdAt),
      expiresAt: expiresAt === null ? null : new Date(expiresAt),
    })),
  };
}
