import type { DisabledReason, EndpointHealth, EndpointState } from '#libs/domain';
import type { Tx } from '../database/database.js';
import { lockEndpointHealth, writeEndpointHealth } from './endpoint-health.sql.js';

/** The health of an endpoint whose row this transaction holds. */
export interface LockedEndpoint {
  /** UUIDs */
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly health: EndpointHealth;
  /** How often its state has changed. */
  readonly sequence: number;
  /** The clock of the database, after the lock was had. */
  readonly now: Date;
}

/** A new health of a locked endpoint, reached by so many changes of its state. */
export interface ChangedHealth {
  readonly endpoint: LockedEndpoint;
  readonly health: EndpointHealth;
  readonly changes: number;
}

interface LockedRow {
  readonly id: string;
  readonly account_id: string;
  readonly url: string;
  readonly state: EndpointState;
  readonly consecutive_failures: number;
  readonly first_failure_at: Date | null;
  readonly probes: number;
  readonly probe_at: Date | null;
  readonly disabled_reason: DisabledReason | null;
  readonly sequence: number;
  readonly now: Date;
}

/** The health of endpoints, read and written under the locks of their rows. */
export class EndpointHealthStore {
  /** Waits for the rows of endpoints and holds them until the transaction ends. Deleted ones are left out. */
  async lock(tx: Tx, endpointIds: readonly string[]): Promise<LockedEndpoint[]> {
    const rows = await tx.query<LockedRow>(lockEndpointHealth, [endpointIds]);
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      url: row.url,
      health: {
        state: row.state,
        consecutiveFailures: row.consecutive_failures,
        firstFailureAt: row.first_failure_at,
        probes: row.probes,
        probeAt: row.probe_at,
        disabledReason: row.disabled_reason,
      },
      sequence: row.sequence,
      now: row.now,
    }));
  }

  /** Writes what has become of locked endpoints. */
  async write(tx: Tx, changed: readonly ChangedHealth[]): Promise<void> {
    const [first] = changed;
    if (first === undefined) return;
    await tx.query(writeEndpointHealth, [
      changed.map(({ endpoint }) => endpoint.id),
      changed.map(({ health }) => health.state),
      changed.map(({ health }) => health.consecutiveFailures),
      changed.map(({ health }) => health.firstFailureAt),
      changed.map(({ health }) => health.probes),
      changed.map(({ health }) => health.probeAt),
      changed.map(({ health }) => health.disabledReason),
      changed.map(({ changes }) => changes),
      first.endpoint.now,
    ]);
  }
}
