import { type RecoveryRequest, recoveryRequestSchema, RequestRefused, validate } from '#libs/contract';
import { typeId } from '#libs/domain';
import { EndpointStore, type Recovery, RecoveryStore } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { endpointDisabled } from '../http/endpoint-disabled.js';
import { found } from '../http/found.js';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { CreateWork } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { recoveryView } from './recovery-view.js';

/** Which recovery is to be cancelled; UUIDs, and a check of the rest of the request. */
export interface CancelRecoveryRequest {
  readonly endpointId: string;
  readonly recoveryId: string;
  /** @throws RequestRefused */
  readonly check: () => void;
}

/** Asks for what an endpoint missed to be sent to it; dispatchers do it. */
export class RecoverEndpoint {
  constructor(
    private readonly decide: DecideOnce,
    private readonly recoveries: RecoveryStore,
  ) {}

  /** @throws RequestRefused `not_found`, `endpoint_disabled` */
  async recover(intent: CreateIntent, endpointId: string, json: unknown): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () =>
      this.workOf(intent.caller.accountId, endpointId, validate(recoveryRequestSchema, json, 'body')),
    );
  }

  /** @throws RequestRefused `not_found`, `recovery_finished` */
  async cancel(intent: CreateIntent, request: CancelRecoveryRequest): Promise<DecidedAnswer> {
    const { endpointId, recoveryId, check } = request;
    const { accountId } = intent.caller;
    return this.decide.decide(intent, async () => {
      check();
      return {
        answerIn: async (tx) => {
          const isCancelled = await this.recoveries.cancel(tx, accountId, endpointId, recoveryId);
          const id = typeId('rec', recoveryId);
          const recovery = found(await new RecoveryStore(tx).find(accountId, endpointId, recoveryId), id);
          if (!isCancelled) {
            throw new RequestRefused('recovery_finished', `the recovery ${id} is ${recovery.state} already`);
          }
          return { answer: jsonAnswer(200, null, recoveryView(recovery)) };
        },
      };
    });
  }

  private workOf(accountId: string, endpointId: string, request: RecoveryRequest): CreateWork {
    const recovery = newRecovery(endpointId, request);
    const id = typeId('ep', endpointId);
    const location = `/v1/webhook-endpoints/${id}/recoveries/${typeId('rec', recovery.id)}`;
    return {
      answerIn: async (tx) => {
        const { state } = found(await new EndpointStore(tx).find(accountId, endpointId), id);
        if (state === 'disabled') throw endpointDisabled(endpointId);
        await this.recoveries.insert(tx, { ...recovery, accountId });
        return { answer: jsonAnswer(202, location, recoveryView(recovery)) };
      },
    };
  }
}

function newRecovery(endpointId: string, { since, until, states }: RecoveryRequest): Recovery {
  return {
    id: uuidv7(),
    endpointId,
    since: new Date(since),
    until: until === null ? null : new Date(until),
    states: [...new Set(states)],
    state: 'running',
    events: 0,
    rearmed: 0,
    inserted: 0,
    reachedAt: new Date(since),
    createdAt: new Date(),
    finishedAt: null,
  };
}
