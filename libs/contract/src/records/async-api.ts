import { type EventType, eventTypes, jobSubmitted } from '#libs/domain';
import { z } from 'zod';
import { eventBodySchema, jobSubmittedSchema } from '../resources/event-data.js';
import { type JsonObject, SchemaComponents } from '../routes/schema-components.js';
import { deadLetterHeadersSchema, recordHeadersSchema } from './record-headers.js';

/** A topic as it is created, with the one that takes what cannot be read from it. */
export interface DescribedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly config: Readonly<Record<string, string>>;
  readonly deadLetters: Omit<DescribedTopic, 'deadLetters' | 'group'>;
  /** The consumer group of the product's own processes. */
  readonly group: string;
}

/** What the document needs to know that is not in the schemas. */
export interface AsyncApiContext {
  readonly version: string;
  readonly topics: Readonly<Record<'jobs' | 'events', DescribedTopic>>;
}

const binding = { bindingVersion: '0.5.0' };

const keyPrefixes = { job: 'job', batch: 'batch', endpoint: 'ep', webhook: 'ep' } as const;

/** The AsyncAPI 3.0 document of the topics, seen from the service, generated from the schemas of what is sent. */
export function asyncApiDocument({ version, topics }: AsyncApiContext): JsonObject {
  const messages = new DescribedMessages();
  const commands = [messages.add(jobSubmitted, 'Tells workers of a new job', jobSubmittedSchema)];
  const events = eventTypes.map((type) => messages.add(type, summaries[type], eventBodySchema(type)));
  const letters = [messages.addDeadLetter()];
  return {
    asyncapi: '3.0.0',
    info: { title: 'pdfonce', version, description: about, license: { name: 'Apache-2.0', url: licenseUrl } },
    defaultContentType: 'application/json',
    channels: {
      jobs: channel(topics.jobs, 'Commands to the workers; readable, and not a place to write', commands),
      events: channel(topics.events, 'What happened to jobs, batches and endpoints', events),
      ...deadLetterChannel('jobs', topics.jobs, letters),
      ...deadLetterChannel('events', topics.events, letters),
    },
    operations: {
      ...operations('jobs', topics.jobs, commands),
      ...operations('events', topics.events, events),
    },
    components: { messages: messages.stored(), schemas: messages.schemas.stored() },
  };
}

const licenseUrl = 'https://www.apache.org/licenses/LICENSE-2.0';

const about = [
  'Every record comes at least once: who dedups on ce_id sees each event once.',
  'Records of one key are in one partition, and no order is promised between events.',
  'Within a type, members and headers are only ever added: ignore those you do not know.',
].join(' ');

const summaries: Readonly<Record<EventType, string>> = {
  'job.completed': 'A job has made its outputs',
  'job.failed': 'A job has failed for good',
  'job.cancelled': 'A job was cancelled',
  'batch.completed': 'The last job of a batch has ended',
  'endpoint.failing': 'A webhook endpoint takes nothing at present',
  'endpoint.disabled': 'A webhook endpoint gets nothing more',
  'endpoint.recovered': 'A webhook endpoint takes webhooks again',
  'webhook.ping': 'Somebody tried a webhook endpoint',
};

class DescribedMessages {
  readonly schemas = new SchemaComponents();
  private readonly messages: Record<string, JsonObject> = {};

  /** @returns the name of the message */
  add(type: string, summary: string, body: z.ZodType): string {
    const headers = this.schemas.add(`${type}.headers`, this.schemaOf(recordHeadersSchema(type)));
    const payload = this.schemas.add(type, this.schemaOf(body));
    const key = this.schemaOf(keyOf(type));
    this.messages[type] = {
      ...{ name: type, summary, contentType: 'application/json', headers, payload },
      bindings: { kafka: { key, ...binding } },
    };
    return type;
  }

  /** @returns the name of the message */
  addDeadLetter(): string {
    const name = 'dead-letter';
    const headers = this.schemas.add(`${name}.headers`, this.schemaOf(deadLetterHeadersSchema));
    const summary = 'A record that could not be read: key, value and headers as they were';
    const payload = { description: 'The bytes of the record; null when it had none, or where they were left out' };
    this.messages[name] = { name, summary, contentType: 'application/octet-stream', headers, payload };
    return name;
  }

  stored(): JsonObject {
    return this.messages;
  }

  private schemaOf(schema: z.ZodType): JsonObject {
    return this.schemas.of(schema, 'output');
  }
}

function keyOf(type: string): z.ZodType {
  const prefix = keyPrefixes[type.split('.')[0] as keyof typeof keyPrefixes];
  return z.string().regex(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`));
}

function channel(
  topic: Omit<DescribedTopic, 'deadLetters' | 'group'>,
  description: string,
  messages: readonly string[],
) {
  const { name, partitions, config } = topic;
  const topicConfiguration = {
    'cleanup.policy': config['cleanup.policy']?.split(','),
    'retention.ms': Number(config['retention.ms']),
  };
  return {
    ...{ address: name, description },
    messages: Object.fromEntries(messages.map((message) => [message, reference('components/messages', message)])),
    bindings: { kafka: { topic: name, partitions, topicConfiguration, ...binding } },
  };
}

function deadLetterChannel(name: string, { name: source, deadLetters }: DescribedTopic, messages: readonly string[]) {
  return { [`${name}.dlq`]: channel(deadLetters, `What could not be read from ${source}`, messages) };
}

function operations(name: string, { group }: DescribedTopic, messages: readonly string[]): JsonObject {
  const of = (channelName: string, action: 'send' | 'receive', carried: readonly string[]) => ({
    action,
    channel: reference('channels', channelName),
    messages: carried.map((message) => reference(`channels/${channelName}/messages`, message)),
  });
  const bindings = { kafka: { groupId: { type: 'string', const: group }, ...binding } };
  return {
    [`send.${name}`]: of(name, 'send', messages),
    [`receive.${name}`]: { ...of(name, 'receive', messages), bindings },
    [`send.${name}.dlq`]: of(`${name}.dlq`, 'send', ['dead-letter']),
  };
}

function reference(place: string, name: string): { readonly $ref: string } {
  return { $ref: `#/${place}/${name}` };
}
