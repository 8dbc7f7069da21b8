import type { RecoverableState, RecoveryState } from '#libs/domain';
import type { Queryable, Tx } from '../database/database.js';
import { cancelRecovery, findRecovery, insertRecovery, listRecoveries, stepRecovery } from './recovery.sql.js';

/** What is to be recovered; ids are UUIDs. */
export interface NewRecovery {
  readonly id: string;
  readonly accountId: string;
  readonly endpointId: string;
  /** Events that happened then or later ... */
  readonly since: Date;
  /** ... and before this, if it is given. */
  readonly until: Date | null;
  readonly states: readonly RecoverableState[];
  readonly createdAt: Date;
}

/** A recovery and how far it is. */
export interface Recovery extends Omit<NewRecovery, 'accountId'> {
  readonly state: RecoveryState;
  /** How many events it has looked at. */
  readonly events: number;
  /** How many deliveries it has made due again. */
  readonly rearmed: number;
  /** How many deliveries it has made. */
  readonly inserted: number;
  /** It has looked at every event before this. */
  readonly reachedAt: Date;
  readonly finishedAt: Date | null;
}

/** How much a step does at most. */
export interface RecoveryStepLimits {
  /** Events that it looks at. */
  readonly events: number;
  /** It waits while this many recovered deliveries of the endpoint are due. */
  readonly mostDue: number;
}

/** What a step did, for which recovery. */
export interface RecoveryStep {
  readonly recoveryId: string;
  readonly accountId: string;
  readonly endpointId: string;
  /** Of the recovery, after the step. */
  readonly state: RecoveryState;
  /** Whether there was too much before the receiver already. */
  readonly isWaiting: boolean;
  readonly events: number;
  readonly rearmed: number;
  readonly inserted: number;
}

interface RecoveryRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly since: Date;
  readonly until: Date | null;
  readonly states: readonly RecoverableState[];
  readonly state: RecoveryState;
  readonly events: number;
  readonly rearmed: number;
  readonly inserted: number;
  readonly cursor_at: Date;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

interface StepRow {
  readonly id: string;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly state: RecoveryState;
  readonly is_waiting: boolean;
  readonly events: number;
  readonly rearmed: number;
  readonly inserted: number;
}

/** Recoveries of endpoints: asked for in one transaction, done in steps by whoever comes. */
export class RecoveryStore {
  constructor(private readonly database: Queryable) {}

  async insert(tx: Tx, recovery: NewRecovery): Promise<void> {
    const { id, accountId, endpointId, since, until, states, createdAt } = recovery;
    await tx.query(insertRecovery, [id, accountId, endpointId, since, until, states, createdAt]);
  }

  /** The recovery of the account's endpoint, `null` when there is none of that id. */
  async find(accountId: string, endpointId: string, recoveryId: string): Promise<Recovery | null> {
    const [row] = await this.database.query<RecoveryRow>(findRecovery, [accountId, endpointId, recoveryId]);
    return row === undefined ? null : recoveryOf(row);
  }

  /** One page of an endpoint's recoveries, newest first; `before` is a recovery's UUID. */
  async list(
    accountId: string,
    endpointId: string,
    page: { readonly before?: string | undefined; readonly limit: number },
  ): Promise<Recovery[]> {
    const values = [accountId, endpointId, page.before ?? null, page.limit];
    return (await this.database.query<RecoveryRow>(listRecoveries, values)).map(recoveryOf);
  }

  /** Ends a recovery before its time; `false` when it had ended, or is not there. */
  async cancel(tx: Tx, accountId: string, endpointId: string, recoveryId: string): Promise<boolean> {
    return (await tx.query(cancelRecovery, [accountId, endpointId, recoveryId])).length === 1;
  }

  /** Makes one step, a transaction of its own, of the recovery that has waited longest; `null` when none may be made now. */
  async step(tx: Tx, { events, mostDue }: RecoveryStepLimits): Promise<RecoveryStep | null> {
    const [row] = await tx.query<StepRow>(stepRecovery, [events, mostDue]);
    if (row === undefined) return null;
    const { id, account_id: accountId, endpoint_id: endpointId, is_waiting: isWaiting, ...counts } = row;
    return { recoveryId: id, accountId, endpointId, isWaiting, ...counts };
  }
}

function recoveryOf(row: RecoveryRow): Recovery {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    since: row.since,
    until: row.until,
    states: row.states,
    state: row.state,
    events: row.events,
    rearmed: row.rearmed,
    inserted: row.inserted,
    reachedAt: row.cursor_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
