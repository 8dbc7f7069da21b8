import { RequestRefused } from '#libs/contract';
import { typeId } from '#libs/domain';
import { DeliveryReader, type Redelivered, type RedeliveryStore } from '#libs/persistence';
import { endpointDisabled } from '../http/endpoint-disabled.js';
import { found } from '../http/found.js';
import { jsonAnswer } from '../http/json-answer.js';
import { notFound } from '../http/not-found.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { deliveryView } from '../read-deliveries/delivery-view.js';

/** A request to send a delivery again, and a check of the rest of it. */
export interface RedeliverRequest {
  /** UUID */
  readonly deliveryId: string;
  /** @throws RequestRefused */
  readonly check: () => void;
}

/** Sends the event of a delivery to its endpoint again, as a delivery of its own. */
export class Redeliver {
  constructor(
    private readonly decide: DecideOnce,
    private readonly redeliveries: RedeliveryStore,
  ) {}

  /** @throws RequestRefused `not_found`, `endpoint_deleted`, `endpoint_disabled` */
  async redeliver(intent: CreateIntent, { deliveryId, check }: RedeliverRequest): Promise<DecidedAnswer> {
    const { accountId } = intent.caller;
    return this.decide.decide(intent, async () => {
      check();
      return {
        answerIn: async (tx) => {
          const id = madeOf(await this.redeliveries.redeliver(tx, accountId, deliveryId), deliveryId);
          const publicId = typeId('dlv', id);
          const delivery = found(await new DeliveryReader(tx).find(accountId, id), publicId);
          return { answer: jsonAnswer(202, `/v1/deliveries/${publicId}`, deliveryView(delivery)) };
        },
      };
    });
  }
}

function madeOf(redelivered: Redelivered, deliveryId: string): string {
  if (redelivered.kind === 'redelivered') return redelivered.deliveryId;
  if (redelivered.kind === 'unknown') throw notFound(typeId('dlv', deliveryId));
  const { kind, endpointId } = redelivered;
  if (kind === 'endpoint_disabled') throw endpointDisabled(endpointId);
  throw new RequestRefused('endpoint_deleted', `the webhook endpoint ${typeId('ep', endpointId)} is deleted`);
}
