import { randomBytes } from 'node:crypto';
import { RequestRefused, rotationRequestSchema, validate } from '#libs/contract';
import { typeId, webhookSecret } from '#libs/domain';
import { uuidv7 } from 'uuidv7';
import { found } from '../http/found.js';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { CreateWork } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import type { EndpointParts } from './endpoint-parts.js';
import { endpointView } from './endpoint-view.js';

const mostLiveSecrets = 5;

/** Gives endpoints new secrets, shown once, in this answer and its replays; those they replace sign too until the overlap is over. */
export class RotateSecret {
  constructor(
    private readonly decide: DecideOnce,
    private readonly parts: Pick<EndpointParts, 'endpoints' | 'keyring'>,
  ) {}

  /** @throws RequestRefused `not_found`, `secret_limit_reached` */
  async rotate(intent: CreateIntent, endpointId: string, json: unknown): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () => {
      const { overlap_seconds: overlapSeconds } = validate(rotationRequestSchema, json, 'body');
      return this.workOf(intent.caller.accountId, endpointId, overlapSeconds);
    });
  }

  private workOf(accountId: string, endpointId: string, overlapSeconds: number): CreateWork {
    const { endpoints, keyring } = this.parts;
    const secret = webhookSecret(randomBytes);
    const sealed = { id: uuidv7(), sealed: keyring.seal(secret) };
    return {
      showsSecret: true,
      answerIn: async (tx) => {
        const id = typeId('ep', endpointId);
        found(await endpoints.lock(tx, accountId, endpointId), id);
        if ((await endpoints.rotateSecret(tx, endpointId, sealed, overlapSeconds)) > mostLiveSecrets)
          throw limitReached();
        const rotated = found(await endpoints.read(tx, accountId, endpointId), id);
        return { answer: jsonAnswer(200, null, endpointView(rotated, keyring, secret)) };
      },
    };
  }
}

function limitReached(): RequestRefused {
  return new RequestRefused(
    'secret_limit_reached',
    `at most ${mostLiveSecrets} secrets of an endpoint sign at a time; an overlap_seconds of 0 ends all others now`,
  );
}
