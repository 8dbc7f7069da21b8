import { batchView } from '#libs/domain';
import type { BatchReader } from '#libs/persistence';
import type { EndedWork, HeldRequest } from '../answer-when-ended/answer-when-ended.js';
import { jsonAnswer } from '../http/json-answer.js';
import { sendAnswer } from '../http/send-answer.js';

/** Answers with the batch as it ended. */
export class EndedBatch implements EndedWork {
  constructor(private readonly batches: BatchReader) {}

  async find(accountId: string, batchId: string) {
    const batch = await this.batches.find(accountId, batchId);
    if (batch === null) return null;
    return async ({ reply, decided }: HeldRequest): Promise<void> => {
      const answer = jsonAnswer(200, decided.answer.location, batchView(batch));
      sendAnswer(reply, { ...decided, answer });
    };
  }
}
