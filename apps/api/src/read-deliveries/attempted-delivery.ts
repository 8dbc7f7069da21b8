import type { DeliveryReader } from '#libs/persistence';
import type { EndedWork, HeldRequest } from '../answer-when-ended/answer-when-ended.js';
import { jsonAnswer } from '../http/json-answer.js';
import { sendAnswer } from '../http/send-answer.js';
import { deliveryView } from './delivery-view.js';

/** Answers with the delivery as its first attempt left it. */
export class AttemptedDelivery implements EndedWork {
  constructor(private readonly deliveries: DeliveryReader) {}

  async find(accountId: string, deliveryId: string) {
    const delivery = await this.deliveries.find(accountId, deliveryId);
    if (delivery === null) return null;
    return async ({ reply, decided }: HeldRequest): Promise<void> => {
      const answer = jsonAnswer(200, decided.answer.location, deliveryView(delivery));
      sendAnswer(reply, { ...decided, answer });
    };
  }
}
