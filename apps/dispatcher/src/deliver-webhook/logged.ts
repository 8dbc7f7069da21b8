import { typeId } from '#libs/domain';
import type { ClaimedDelivery } from '#libs/persistence';

/** A claimed delivery as log records name it. */
export function logged({ id, claim, eventId, endpointId }: ClaimedDelivery): Readonly<Record<string, unknown>> {
  return {
    deliveryId: typeId('dlv', id),
    claim,
    eventId: typeId('evt', eventId),
    endpointId: typeId('ep', endpointId),
  };
}
