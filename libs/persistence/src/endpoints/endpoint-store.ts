import type { DisabledReason, EndpointState } from '#libs/domain';
import type { Queryable, Tx } from '../database/database.js';
import {
  countEndpoints,
  disableEndpoint,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  lockAccount,
  markEndpointDeleted,
} from './endpoint.sql.js';

/** A secret that signs an endpoint's deliveries, without the secret itself. `expiresAt` is null for the one that is not replaced. */
export interface EndpointSecret {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** A webhook endpoint; ids are UUIDs. Its secrets are the live ones, newest first. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** Event types and patterns such as `job.*` */
  readonly eventTypes: readonly string[];
  readonly description: string | null;
  readonly sealedHeaders: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly state: EndpointState;
  readonly failingSince: Date | null;
  readonly createdAt: Date;
  readonly secrets: readonly EndpointSecret[];
}

/** An endpoint to store. */
export interface NewEndpoint extends Omit<Endpoint, 'state' | 'failingSince' | 'secrets'> {
  readonly accountId: string;
}

/** An endpoint that was disabled just now, and what its event is made of. */
export interface DisabledEndpoint {
  readonly accountId: string;
  readonly url: string;
  readonly failingSince: Date | null;
  readonly eventId: string;
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
  readonly state: EndpointState;
  readonly failing_since: Date | null;
  readonly created_at: Date;
  readonly secrets: readonly { readonly id: string; readonly createdAt: string; readonly expiresAt: string | null }[];
}

interface DisabledRow {
  readonly account_id: string;
  readonly url: string;
  readonly failing_since: Date | null;
  readonly event_id: string;
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
  async insert(tx: Tx, endpoint: NewEndpoint, secret: { readonly id: string; readonly sealed: string }): Promise<void> {
    await tx.query(insertEndpoint, [
      endpoint.id,
      endpoint.accountId,
      endpoint.url,
      endpoint.eventTypes,
      endpoint.description,
      endpoint.sealedHeaders,
      endpoint.metadata,
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

  /** Deletes the account's endpoint; `false` when there is none of that id. */
  async markDeleted(accountId: string, endpointId: string): Promise<boolean> {
    const rows = await this.database.query(markEndpointDeleted, [accountId, endpointId]);
    return rows.length === 1;
  }

  /** Disables an endpoint; `null` when it was disabled or deleted before. */
  async disable(tx: Tx, endpointId: string, reason: DisabledReason): Promise<DisabledEndpoint | null> {
    const [row] = await tx.query<DisabledRow>(disableEndpoint, [endpointId, reason]);
    if (row === undefined) return null;
    return {
      accountId: row.account_id,
      url: row.url,
      failingSince: row.failing_since,
      eventId: row.event_id,
      disabledAt: row.disabled_at,
      sequence: row.sequence,
    };
  }
}

function endpointOf(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    url: row.url,
    eventTypes: row.event_types,
    description: row.description,
    sealedHeaders: row.sealed_headers,
    metadata: row.metadata,
    state: row.state,
    failingSince: row.failing_since,
    createdAt: row.created_at,
    secrets: row.secrets.map(({ id, createdAt, expiresAt }) => ({
      id,
      createdAt: new Date(createdAt),
      expiresAt: expiresAt === null ? null : new Date(expiresAt),
    })),
  };
}
