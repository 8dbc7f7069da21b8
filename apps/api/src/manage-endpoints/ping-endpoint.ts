import { pingEvent, typeId } from '#libs/domain';
import { DeliveryReader, type Tx } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { endpointDisabled } from '../http/endpoint-disabled.js';
import { found } from '../http/found.js';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { Answered } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { deliveryView } from '../read-deliveries/delivery-view.js';
import type { EndpointAction, TellingParts } from './switch-endpoint.js';

/** Sends `webhook.ping` to one endpoint as every event is sent, whatever types it selects. */
export class PingEndpoint {
  constructor(
    private readonly decide: DecideOnce,
    private readonly parts: TellingParts,
  ) {}

  /** @throws RequestRefused `not_found`, `endpoint_disabled` */
  async ping(intent: CreateIntent, { endpointId, check }: EndpointAction): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () => {
      check();
      return { answerIn: (tx) => this.answerIn(tx, intent.caller.accountId, endpointId) };
    });
  }

  private async answerIn(tx: Tx, accountId: string, endpointId: string): Promise<Answered> {
    const { endpoints, events, announcer } = this.parts;
    const id = typeId('ep', endpointId);
    const endpoint = found(await endpoints.lock(tx, accountId, endpointId), id);
    if (endpoint.state === 'disabled') throw endpointDisabled(endpointId);
    const event = pingEvent(uuidv7(), endpointId, new Date());
    const records = await events.recordForEndpoint(tx, accountId, event, endpointId);
    const [delivery] = await new DeliveryReader(tx).list(accountId, { eventId: event.id, limit: 1 });
    if (delivery === undefined) throw new Error(`the ping of ${id} has no delivery`);
    const location = `/v1/deliveries/${typeId('dlv', delivery.id)}`;
    return {
      answer: jsonAnswer(202, location, deliveryView(delivery)),
      onCommit: () => announcer.announce(records),
    };
  }
}
