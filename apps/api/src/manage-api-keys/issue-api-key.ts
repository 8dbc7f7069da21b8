import { createHash } from 'node:crypto';
import { type ApiKeyRequest, apiKeyRequestSchema, validate } from '#libs/contract';
import type { ApiKeyStore, ListedApiKey } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { jsonAnswer } from '../http/json-answer.js';
import type { Caller } from '../http/request-context.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { CreateWork } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { apiKeyRevoked } from '../idempotency/refusals.js';
import { apiKeyView } from './api-key-view.js';
import { apiKeySecret } from './create-api-key.js';

/** Makes API keys for the account of the caller, with any scopes; the secret is shown once, in this answer and its replays. */
export class IssueApiKey {
  constructor(
    private readonly decide: DecideOnce,
    private readonly apiKeys: ApiKeyStore,
  ) {}

  /** @throws RequestRefused */
  async issue(intent: CreateIntent, json: unknown): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () =>
      this.workOf(intent.caller, validate(apiKeyRequestSchema, json, 'body')),
    );
  }

  private workOf({ accountId, keyId }: Caller, request: ApiKeyRequest): CreateWork {
    const secret = apiKeySecret();
    const secretSha256 = createHash('sha256').update(secret).digest();
    const key = newKey(request);
    return {
      showsSecret: true,
      answerIn: async (tx) => {
        const isIssued = await this.apiKeys.issue(tx, { ...key, issuerId: keyId, accountId, secretSha256 });
        if (!isIssued) throw apiKeyRevoked();
        return { answer: jsonAnswer(201, null, apiKeyView(key, secret)) };
      },
    };
  }
}

function newKey({ name, scopes }: ApiKeyRequest): ListedApiKey {
  return { id: uuidv7(), name, scopes, createdAt: new Date(), lastUsedAt: null, revokedAt: null };
}
