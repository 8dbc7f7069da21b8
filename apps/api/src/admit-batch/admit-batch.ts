import { type Batch, batchView } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import type { AdmissionStore, NewBatch, NewJobInput } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { newJob } from '../admit-job/new-job.js';
import type { ResolveInputs } from '../admit-job/resolve-inputs.js';
import { writeAdmission } from '../admit-job/write-admission.js';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { CreateWork } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { type ChosenItem, readBatch } from './batch-submission.js';

/** Accepts a batch: key, batch, jobs, inputs and commands become true in one statement, or nothing does. */
export class AdmitBatch {
  constructor(
    private readonly decide: DecideOnce,
    private readonly inputs: ResolveInputs,
    private readonly store: AdmissionStore,
    private readonly announcer: Announcer,
  ) {}

  /** @throws RequestRefused */
  async admit(intent: CreateIntent, json: unknown): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () => this.workOf(intent, await this.newBatch(intent, readBatch(json))));
  }

  private async newBatch(intent: CreateIntent, chosen: readonly ChosenItem[]): Promise<NewBatch> {
    const inputs = await this.inputsOf(intent.caller.accountId, chosen);
    const createdAt = new Date();
    return {
      id: uuidv7(),
      accountId: intent.caller.accountId,
      idempotencyKey: intent.key,
      createdAt,
      items: chosen.map(({ item, ...operation }, index) => ({
        clientItemId: item.client_item_id,
        job: newJob(intent, operation, inputs[index] ?? [], item.metadata, createdAt),
      })),
    };
  }

  /** The inputs of each item. Items are looked at all at once, so two statements do for all of them. */
  private async inputsOf(
    accountId: string,
    chosen: readonly ChosenItem[],
  ): Promise<readonly (readonly NewJobInput[])[]> {
    const places = chosen.flatMap(({ item }, index) =>
      item.inputs.map((reference, position) => ({ ...reference, pointer: `/items/${index}/inputs/${position}` })),
    );
    const resolved = await this.inputs.resolve(accountId, places, []);
    let first = 0;
    return chosen.map(({ item }) => resolved.slice(first, (first += item.inputs.length)));
  }

  private workOf(intent: CreateIntent, batch: NewBatch): CreateWork {
    const view = batchView(acceptedBatch(batch));
    return {
      answer: jsonAnswer(202, `/v1/batches/${view.id}`, view),
      write: (key) => writeAdmission(() => this.store.admitBatch(intent.caller.keyId, batch, key), this.announcer),
    };
  }
}

/** The batch as it is accepted: nothing in it changes later. */
function acceptedBatch({ id, items, createdAt }: NewBatch): Batch {
  return {
    id,
    state: 'processing',
    counts: { queued: items.length, processing: 0, completed: 0, failed: 0, cancelled: 0 },
    items: items.length,
    createdAt,
    finishedAt: null,
    expiresAt: null,
  };
}
