import { randomBytes } from 'node:crypto';
import { type EndpointRequest, endpointRequestSchema, refusedAt, RequestRefused, validate } from '#libs/contract';
import { type SecretKeyring, typeId, webhookSecret } from '#libs/domain';
import type { Endpoint, EndpointStore } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { CreateWork } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { endpointView } from './endpoint-view.js';

const mostEndpoints = 50;

/** What endpoints are stored with. */
export interface EndpointParts {
  readonly endpoints: EndpointStore;
  readonly keyring: SecretKeyring;
  /** Why a URL may not be called, or `null`. */
  readonly addressProblem: (url: string) => Promise<string | null>;
}

/** Creates webhook endpoints, at most 50 for an account; the secret is shown once, in this answer and its replays. */
export class CreateEndpoint {
  constructor(
    private readonly decide: DecideOnce,
    private readonly parts: EndpointParts,
  ) {}

  /** @throws RequestRefused */
  async create(intent: CreateIntent, json: unknown): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () => {
      const request = validate(endpointRequestSchema, json, 'body');
      await this.checkAddress(request.url);
      return this.workOf(intent, request);
    });
  }

  private async checkAddress(url: string): Promise<void> {
    const detail = await this.parts.addressProblem(url);
    if (detail !== null) throw refusedAt('endpoint_address_refused', '/url', detail);
  }

  private workOf(intent: CreateIntent, request: EndpointRequest): CreateWork {
    const { keyring, endpoints } = this.parts;
    const { accountId } = intent.caller;
    const secret = webhookSecret(randomBytes);
    const endpoint = newEndpoint(request, keyring);
    const location = `/v1/webhook-endpoints/${typeId('ep', endpoint.id)}`;
    return {
      showsSecret: true,
      answerIn: async (tx) => {
        if ((await endpoints.lockAccountAndCount(tx, accountId)) >= mostEndpoints) throw limitReached();
        const [stored] = endpoint.secrets;
        const sealed = { id: stored?.id ?? uuidv7(), sealed: keyring.seal(secret) };
        await endpoints.insert(tx, { ...endpoint, accountId }, sealed);
        return { answer: jsonAnswer(201, location, endpointView(endpoint, keyring, secret)) };
      },
    };
  }
}

function newEndpoint(request: EndpointRequest, keyring: SecretKeyring): Endpoint {
  const createdAt = new Date();
  const hasHeaders = Object.keys(request.headers).length > 0;
  return {
    id: uuidv7(),
    url: request.url,
    eventTypes: request.event_types,
    description: request.description,
    sealedHeaders: hasHeaders ? keyring.seal(JSON.stringify(request.headers)) : null,
    metadata: request.metadata,
    state: 'healthy',
    failingSince: null,
    createdAt,
    secrets: [{ id: uuidv7(), createdAt, expiresAt: null }],
  };
}

function limitReached(): RequestRefused {
  return new RequestRefused('endpoint_limit_reached', `an account may have ${mostEndpoints} webhook endpoints`);
}
