import type { Queryable } from '../database/database.js';
import { readDeliveryBacklog } from './delivery-backlog.sql.js';

/** What waits to be delivered, over all dispatchers. Times in seconds, 0 where nothing waits. */
export interface DeliveryBacklog {
  /** How long the earliest that is due has been due, at endpoints that are called. */
  readonly lagSeconds: Readonly<Record<'first' | 'retry' | 'recovered', number>>;
  readonly failingEndpoints: number;
  /** Deliveries that wait for failing endpoints; 100 000 stands for that many or more. */
  readonly parked: number;
  /** Age of the oldest delivery that has not ended, parked ones included. */
  readonly oldestSeconds: number;
}

interface BacklogRow {
  readonly first_lag_seconds: number;
  readonly retry_lag_seconds: number;
  readonly recovered_lag_seconds: number;
  readonly failing_endpoints: number;
  readonly parked: number;
  readonly oldest_seconds: number;
}

/** Reads what waits, by one cheap statement. */
export async function deliveryBacklog(database: Queryable): Promise<DeliveryBacklog> {
  const [row] = await database.query<BacklogRow>(readDeliveryBacklog);
  if (row === undefined) throw new Error('the backlog has no row');
  return {
    lagSeconds: { first: row.first_lag_seconds, retry: row.retry_lag_seconds, recovered: row.recovered_lag_seconds },
    failingEndpoints: row.failing_endpoints,
    parked: row.parked,
    oldestSeconds: row.oldest_seconds,
  };
}
