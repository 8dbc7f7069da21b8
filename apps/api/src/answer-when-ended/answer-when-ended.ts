import { uuidOf } from '#libs/domain';
import type { ApiKeyStore } from '#libs/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../http/request-context.js';
import { type DecidedAnswer, sendAnswer } from '../http/send-answer.js';
import { apiKeyRevoked } from '../idempotency/refusals.js';
import type { Awaited, AwaitWork } from './await-work.js';
import { preferredWaitSeconds } from './prefer-wait.js';

/** A request whose answer may be held until its work has ended. */
export interface HeldRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** What it is answered with when the work does not end in time. */
  readonly decided: DecidedAnswer;
}

/** Finds what a held request is answered with once its work has ended, `null` when that is gone. */
export interface EndedWork {
  find(accountId: string, id: string): Promise<((held: HeldRequest) => Promise<void>) | null>;
}

/** Answers a request that started work: at once, or with `Prefer: wait` when its job, batch or first attempt has ended, and then with that as it is. */
export class AnswerWhenEnded {
  constructor(
    private readonly awaitWork: AwaitWork,
    private readonly keys: ApiKeyStore,
    private readonly ended: Readonly<Record<Awaited['kind'], EndedWork>>,
  ) {}

  /** @throws RequestRefused */
  async send(held: HeldRequest): Promise<void> {
    const { request, reply, decided } = held;
    const waitSeconds = preferredWaitSeconds(request.headers.prefer);
    const sendEnded = waitSeconds === null ? null : await this.whenEnded(held, waitSeconds);
    if (sendEnded === null) return void sendAnswer(reply, decided);
    if (decided.isReplayed) reply.header('idempotent-replayed', 'true');
    reply.header('preference-applied', `wait=${waitSeconds}`).header('location', decided.answer.location ?? '');
    await sendEnded(held);
  }

  private async whenEnded({ request, reply, decided }: HeldRequest, waitSeconds: number) {
    const awaited = awaitedBy(decided);
    const hasEnded = await this.awaitWork.ended(awaited, waitSeconds * 1_000, whenLeft(reply));
    await this.checkKey(request);
    return hasEnded ? this.ended[awaited.kind].find(callerOf(request).accountId, awaited.id) : null;
  }

  private async checkKey(request: FastifyRequest): Promise<void> {
    if (!(await this.keys.isLive(callerOf(request).keyId))) throw apiKeyRevoked();
  }
}

/** What the location of an answer names. */
function awaitedBy({ answer }: DecidedAnswer): Awaited {
  const id = answer.location?.split('/').at(-1) ?? '';
  for (const kind of ['job', 'batch', 'dlv'] as const) {
    const uuid = uuidOf(kind, id);
    if (uuid !== null) return { kind, id: uuid };
  }
  throw new Error('the location of an answer names nothing that can be awaited');
}

function whenLeft({ raw }: FastifyReply): AbortSignal {
  if (raw.closed || raw.destroyed) return AbortSignal.abort();
  const left = new AbortController();
  raw.once('close', () => left.abort());
  return left.signal;
}
