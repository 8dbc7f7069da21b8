import { type SecretKeyring, transitionEvent, typeId } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import type { Endpoint, EndpointStore, EventStore, OutboxRow, Tx } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { found } from '../http/found.js';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { endpointView } from './endpoint-view.js';

/** What is needed to change an endpoint's state and to tell of it. */
export interface TellingParts {
  readonly endpoints: EndpointStore;
  readonly keyring: SecretKeyring;
  readonly events: EventStore;
  readonly announcer: Announcer;
}

/** A request that changes an endpoint: what it names, and a check of the rest of it. */
export interface EndpointAction {
  /** UUID */
  readonly endpointId: string;
  /** @throws RequestRefused */
  readonly check: () => void;
}

/** Enables and disables endpoints. One that is so already stays as it is, and is answered the same. */
export class SwitchEndpoint {
  constructor(
    private readonly decide: DecideOnce,
    private readonly parts: TellingParts,
  ) {}

  /** No event tells of it: who enabled the endpoint knows. @throws RequestRefused `not_found` */
  async enable(intent: CreateIntent, action: EndpointAction): Promise<DecidedAnswer> {
    return this.change(intent, action, async (tx, { id }) => {
      await this.parts.endpoints.enable(tx, id);
      return [];
    });
  }

  /** Tells the account's other endpoints in the same transaction. @throws RequestRefused `not_found` */
  async disable(intent: CreateIntent, action: EndpointAction): Promise<DecidedAnswer> {
    const { endpoints, events } = this.parts;
    return this.change(intent, action, async (tx, { id: endpointId }) => {
      const disabled = await endpoints.disable(tx, endpointId);
      if (disabled === null) return [];
      const { accountId, url, failingSince, disabledAt: occurredAt, sequence } = disabled;
      const health = { state: 'disabled', firstFailureAt: failingSince, disabledReason: 'requested' } as const;
      const event = transitionEvent({ id: endpointId, url }, health, { sequence, eventId: uuidv7(), occurredAt });
      return events.record(tx, accountId, [{ event, subject: { endpointId, sequence } }]);
    });
  }

  private async change(
    intent: CreateIntent,
    { endpointId, check }: EndpointAction,
    write: (tx: Tx, endpoint: Endpoint) => Promise<readonly OutboxRow[]>,
  ): Promise<DecidedAnswer> {
    const { endpoints, keyring, announcer } = this.parts;
    const { accountId } = intent.caller;
    const id = typeId('ep', endpointId);
    return this.decide.decide(intent, async () => {
      check();
      return {
        answerIn: async (tx) => {
          const records = await write(tx, found(await endpoints.lock(tx, accountId, endpointId), id));
          const endpoint = found(await endpoints.read(tx, accountId, endpointId), id);
          const answer = jsonAnswer(200, null, endpointView(endpoint, keyring));
          return { answer, onCommit: () => announcer.announce(records) };
        },
      };
    });
  }
}
