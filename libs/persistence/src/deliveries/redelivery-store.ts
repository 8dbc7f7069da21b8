import type { EndpointState } from '#libs/domain';
import type { Tx } from '../database/database.js';
import { insertRedelivery, lockDelivered } from './redelivery.sql.js';

/** What became of the wish to send a delivery again; ids are UUIDs. */
export type Redelivered =
  | { readonly kind: 'redelivered'; readonly deliveryId: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'endpoint_deleted' | 'endpoint_disabled'; readonly endpointId: string };

interface DeliveredRow {
  readonly endpoint_id: string;
  readonly endpoint_state: EndpointState;
  readonly is_deleted: boolean;
}

/** Deliveries of events that had one before. */
export class RedeliveryStore {
  /** Makes a delivery that repeats one of the account, whatever its state: same event, same endpoint, attempts of its own, due now. */
  async redeliver(tx: Tx, accountId: string, deliveryId: string): Promise<Redelivered> {
    const [known] = await tx.query<DeliveredRow>(lockDelivered, [accountId, deliveryId]);
    if (known === undefined) return { kind: 'unknown' };
    const { endpoint_id: endpointId } = known;
    if (known.is_deleted) return { kind: 'endpoint_deleted', endpointId };
    if (known.endpoint_state === 'disabled') return { kind: 'endpoint_disabled', endpointId };
    const [made] = await tx.query<{ id: string }>(insertRedelivery, [deliveryId]);
    return made === undefined ? { kind: 'unknown' } : { kind: 'redelivered', deliveryId: made.id };
  }
}
