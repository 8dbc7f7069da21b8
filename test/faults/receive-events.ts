import { Kafka, logLevel } from 'kafkajs';
import type { History } from '../support/history.js';
import { type Answer, type ReceivedRequest, verified, WebhookReceiver } from '../support/webhook-receiver.js';
import type { Ledger } from './ledger.js';
import type { SeededRandom } from './random.js';

/** The topic that public consumers read. */
export const eventsTopic = 'pdfonce.events.v1';

/** A job event as receivers read it. */
interface JobEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly id: string };
}

/** What a receiver writes to. */
export interface EventSinks {
  readonly history: History;
  readonly ledger: Ledger;
}

const failingShare = 0.06;
const mostDelayMs = 400;
/**
 * Only a first attempt is refused, because only the second comes soon after it; one that follows a lost attempt comes later than this after
 * its event.
 */
const firstAttemptWithinMs = 8_000;

/** A webhook endpoint that takes a moment for each request and now and then answers 500 or cuts the connection, at most once for an event. */
export class UnreliableEndpoint {
  readonly #refused = new Set<string>();
  #verify: (request: ReceivedRequest) => unknown = () => {
    throw new Error('the secret of the endpoint is not known yet');
  };

  private constructor(
    readonly name: string,
    private readonly receiver: WebhookReceiver,
    private readonly sinks: EventSinks,
    private readonly random: SeededRandom,
  ) {}

  static async open(name: string, sinks: EventSinks, random: SeededRandom): Promise<UnreliableEndpoint> {
    const receiver = await WebhookReceiver.open();
    const endpoint = new UnreliableEndpoint(name, receiver, sinks, random.fork(name));
    receiver.respond((request) => endpoint.#answer(request));
    return endpoint;
  }

  get url(): string {
    return this.receiver.url;
  }

  /** From now on requests are checked against this secret. */
  trust(secret: string): void {
    this.#verify = verified(secret);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  #answer(request: ReceivedRequest): Answer {
    const event = JSON.parse(request.body.toString('utf8')) as JobEvent;
    const { answer, answered } = this.#choose(event, request);
    const { history, ledger } = this.sinks;
    const endpoint = this.name;
    history.append({
      type: 'delivery',
      endpoint,
      eventId: event.id,
      eventType: event.type,
      jobId: event.data.id,
      answered,
    });
    if (answered === '200') ledger.tell(endpoint, event.data.id);
    return answer;
  }

  #choose(event: JobEvent, request: ReceivedRequest): { readonly answer: Answer; readonly answered: string } {
    if (!this.#isGenuine(event, request)) return { answer: 401, answered: 'not genuine' };
    const delayMs = this.random.integer(1, mostDelayMs);
    if (!this.#refuses(event)) return { answer: { status: 200, delayMs }, answered: '200' };
    this.#refused.add(event.id);
    if (this.random.chance(0.5)) return { answer: { status: 500, delayMs }, answered: '500' };
    return { answer: 'reset', answered: 'reset' };
  }

  #refuses(event: JobEvent): boolean {
    const ageMs = Date.now() - Date.parse(event.timestamp);
    return this.random.chance(failingShare) && !this.#refused.has(event.id) && ageMs < firstAttemptWithinMs;
  }

  #isGenuine(event: JobEvent, request: ReceivedRequest): boolean {
    try {
      this.#verify(request);
      return request.headers['webhook-id'] === event.id;
    } catch {
      return false;
    }
  }
}

/** Reads the events topic as any consumer would and writes down every record of this run. Returns what ends it. */
export async function readTopic(
  brokers: readonly string[],
  channel: string,
  sinks: EventSinks,
): Promise<() => Promise<void>> {
  const startedAt = Date.now();
  const kafka = new Kafka({ brokers: [...brokers], clientId: 'faults', logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({
    groupId: `faults.${startedAt}`,
    maxWaitTimeInMs: 100,
    retry: { retries: 1_000, maxRetryTime: 1_000 },
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [eventsTopic], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => {
      const event = JSON.parse(String(message.value)) as JobEvent;
      if (Date.parse(event.timestamp) < startedAt) return;
      const eventId = String(message.headers?.['ce_id']);
      const eventType = String(message.headers?.['ce_type']);
      const jobId = event.data.id;
      sinks.history.append({ type: 'record', topic, partition, offset: message.offset, eventId, eventType, jobId });
      sinks.ledger.tell(channel, jobId);
    },
  });
  return () => consumer.disconnect();
}
