import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { packageRoot } from '../support/package-root.js';

/** A record as any client reads it. */
export interface ReadRecord {
  readonly topic: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string | null;
}

interface Message {
  readonly bindings?: { readonly kafka: { readonly key: object } };
}

interface Described {
  readonly channels: Readonly<
    Record<string, { readonly address: string; readonly messages: Readonly<Record<string, unknown>> }>
  >;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}

const document = JSON.parse(readFileSync(join(packageRoot, 'docs', 'asyncapi.json'), 'utf8')) as Described;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'asyncapi');

/** What is wrong with a record, held against docs/asyncapi.json; nothing when it is as described. */
export function recordProblems(record: ReadRecord): string[] {
  const channel = Object.values(document.channels).find(({ address }) => address === record.topic);
  if (channel === undefined) return [`the topic ${record.topic} is not described`];
  if ('dead-letter' in channel.messages) return problems('dead-letter.headers', record.headers);
  const type = record.headers['ce_type'] ?? '';
  if (!(type in channel.messages)) return [`${record.topic} has no message ${type}`];
  return eventProblems(type, record);
}

function eventProblems(type: string, { key, headers, value }: ReadRecord): string[] {
  if (value === null) return ['the value is null'];
  return [
    ...problems(`${type}.headers`, headers),
    ...problems(type, JSON.parse(value)),
    ...errorsOf(document.components.messages[type]?.bindings?.kafka.key ?? {}, key),
  ];
}

function problems(schema: string, value: unknown): string[] {
  return errorsOf({ $ref: `asyncapi#/components/schemas/${schema}` }, value);
}

function errorsOf(schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  validate(value);
  return (validate.errors ?? []).map((error) => `${error.schemaPath} ${error.instancePath} ${error.message ?? ''}`);
}
