import { uuidv7 } from 'uuidv7';
import {
  type EndpointAttempt,
  type EndpointHealthLimits,
  type EndpointStep,
  nextEndpointHealth,
  transitionEvent,
} from '#libs/domain';
import type { EndpointHealthStore, EventStore, LockedEndpoint, OutboxRow, SubjectEvent, Tx } from '#libs/persistence';

/** An attempt that was recorded, at this endpoint. */
export interface RecordedAttempt extends EndpointAttempt {
  readonly endpointId: string;
}

/** What changing the health of endpoints works with. */
export interface ChangeEndpointHealthOptions {
  readonly health: EndpointHealthStore;
  readonly events: EventStore;
  readonly limits: EndpointHealthLimits;
}

/** Moves the health of endpoints on by attempts, and tells their accounts of every change of state, once. */
export class ChangeEndpointHealth {
  constructor(private readonly options: ChangeEndpointHealthOptions) {}

  /** Holds the endpoints of attempts until the transaction ends. Comes before anything else that it locks. */
  async lock(tx: Tx, attempts: readonly RecordedAttempt[]): Promise<readonly LockedEndpoint[]> {
    return this.options.health.lock(tx, [...new Set(attempts.map(({ endpointId }) => endpointId))]);
  }

  /** Moves locked endpoints on by attempts that are recorded. Gives the outbox rows of the notices. */
  async change(
    tx: Tx,
    locked: readonly LockedEndpoint[],
    attempts: readonly RecordedAttempt[],
  ): Promise<readonly OutboxRow[]> {
    const { health, limits } = this.options;
    const walked = locked.map((endpoint) => walk(endpoint, attempts, limits));
    const changed = walked.filter(({ endpoint, steps }) => steps.some((step) => step.health !== endpoint.health));
    await health.write(tx, changed.map(changeOf));
    const announced: OutboxRow[] = [];
    for (const each of changed) announced.push(...(await this.tell(tx, each)));
    return announced;
  }

  private async tell(tx: Tx, { endpoint, steps }: Walked): Promise<readonly OutboxRow[]> {
    const notices: SubjectEvent[] = [];
    for (const { health, notice } of steps) {
      if (notice === null) continue;
      const sequence = endpoint.sequence + notices.length + 1;
      const event = transitionEvent(endpoint, health, { sequence, eventId: uuidv7(), occurredAt: endpoint.now });
      notices.push({ event, subject: { endpointId: endpoint.id, sequence } });
    }
    return notices.length === 0 ? [] : this.options.events.record(tx, endpoint.accountId, notices);
  }
}

interface Walked {
  readonly endpoint: LockedEndpoint;
  /** One for each attempt, in their order. */
  readonly steps: readonly EndpointStep[];
}

function walk(endpoint: LockedEndpoint, attempts: readonly RecordedAttempt[], limits: EndpointHealthLimits): Walked {
  const steps: EndpointStep[] = [];
  let { health } = endpoint;
  for (const attempt of attempts) {
    if (attempt.endpointId !== endpoint.id) continue;
    const step = nextEndpointHealth(health, attempt, endpoint.now, limits);
    steps.push(step);
    health = step.health;
  }
  return { endpoint, steps };
}

function changeOf({ endpoint, steps }: Walked) {
  const changes = steps.filter((step) => step.notice !== null).length;
  return { endpoint, health: steps.at(-1)?.health ?? endpoint.health, changes };
}
