import type { InboundMessage } from './inbound-message.js';
import type { OutboxRecord } from './outbox-record.js';

/** A header as it arrives: a repeated one comes as an array. */
export type HeaderValue = Buffer | string | (Buffer | string)[] | undefined;

/** The parts of a Kafka record that carry meaning. */
export interface RawRecord {
  readonly key: Buffer | string | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
}

/** A Kafka record as we send it. */
export interface EncodedRecord {
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Record<string, string>;
}

/** What decoding a record gives; a record that is not ours to read is an answer, never an exception. */
export type Decoded =
  | { readonly kind: 'message'; readonly message: InboundMessage }
  | { readonly kind: 'undecodable'; readonly reason: string };

type Text = { readonly text: string } | { readonly problem: string };
type HeaderName = keyof typeof requiredHeaders;
type OptionalHeaderName = 'ce_subject' | 'ce_partitionkey';

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

const requiredHeaders = {
  'content-type': (text: string) => /^application\/json\s*(;|$)/i.test(text),
  ce_specversion: (text: string) => text === '1.0',
  ce_id: () => true,
  ce_source: () => true,
  ce_type: () => true,
  ce_time: (text: string) => rfc3339.test(text) && !Number.isNaN(Date.parse(text)),
};

/** Writes a record in CloudEvents 1.0 binary mode (Kafka protocol binding); the value is the stored body, byte for byte. */
export function encodeRecord(record: OutboxRecord): EncodedRecord {
  const headers: Record<HeaderName | OptionalHeaderName, string> = {
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: record.eventId,
    ce_source: '/pdfonce',
    ce_type: record.type,
    ce_time: record.occurredAt,
    ce_subject: record.key,
    ce_partitionkey: record.key,
  };
  return { key: record.key, value: Buffer.from(record.body, 'utf8'), headers };
}

/** Reads a record in CloudEvents 1.0 binary mode whose value is JSON. */
export function decodeRecord(record: RawRecord): Decoded {
  const headers = readHeaders(record.headers ?? {});
  if ('problem' in headers) return undecodable(headers.problem);
  const key = readText(record.key);
  if ('problem' in key) return undecodable(`the key ${key.problem}`);
  const value = readText(record.value);
  if ('problem' in value) return undecodable(`the value ${value.problem}`);
  const json = readJson(value.text);
  if ('problem' in json) return undecodable(`the value ${json.problem}`);
  const { ce_id: id, ce_type: type, ce_time: occurredAt } = headers.texts;
  return { kind: 'message', message: { id, type, key: key.text, occurredAt, data: json.data } };
}

function undecodable(reason: string): Decoded {
  return { kind: 'undecodable', reason };
}

function readHeaders(headers: Readonly<Record<string, HeaderValue>>) {
  const texts: Record<string, string> = {};
  for (const [name, isValid] of Object.entries(requiredHeaders)) {
    const read = readText(headers[name]);
    if ('problem' in read) return { problem: `header ${name} ${read.problem}` };
    if (!isValid(read.text)) return { problem: `header ${name} has a value that cannot be read` };
    texts[name] = read.text;
  }
  return { texts: texts as Record<HeaderName, string> };
}

function readText(value: HeaderValue | null): Text {
  if (value === undefined || value === null) return { problem: 'is missing' };
  if (Array.isArray(value)) return { problem: 'is repeated' };
  if (value.length === 0) return { problem: 'is empty' };
  if (typeof value === 'string') return { text: value };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value) };
  } catch {
    return { problem: 'is no UTF-8' };
  }
}

function readJson(json: string): { readonly data: unknown } | { readonly problem: string } {
  try {
    return { data: JSON.parse(json) };
  } catch {
    return { problem: 'is no JSON' };
  }
}
