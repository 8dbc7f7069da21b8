import { randomBytes } from 'node:crypto';
import { type EndpointRequest, endpointRequestSchema, RequestRefused, validate } from '#libs/contract';
import { type SecretKeyring, typeId, webhookSecret } from '#libs/domain';
import type { Endpoint } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { CreateWork } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { checkAddress, type EndpointParts } from './endpoint-parts.js';
import { endpointView } from './endpoint-view.js';
import { sealedHeaders } from './sealed-headers.js';

const mostEndpoints = 50;

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
      await checkAddress(this.parts, request.url);
      return this.workOf(intent, request);
    });
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
  return {
    id: uuidv7(),
    url: request.url,
    eventTypes: request.event_types,
    description: request.description,
    sealedHeaders: sealedHeaders(request.headers, keyring),
    metadata: request.metadata,
    retrySchedule: request.retry_schedule,
    state: 'healthy',
    failingSince: null,
    disabledAt: null,
    disabledReason: null,
    createdAt,
    secrets: [{ id: uuidv7(), createdAt, expiresAt: null }],
  };
}

function limitReached(): RequestRefused {
  return new RequestRefused('endpoint_limit_reached', `an account may have ${mostEndpoints} webhook endpoints`);
}
