import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { recordHeadersSchema } from '#libs/contract';
import { consumerGroups, encodeRecord, topicTable } from '#libs/messaging';
import { Ajv } from 'ajv';
import { asyncApi } from './async-api.js';

interface Channel {
  readonly address: string;
  readonly bindings: { readonly kafka: { readonly partitions: number; readonly topicConfiguration: object } };
}

interface Described {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly components: { readonly messages: object; readonly schemas: Readonly<Record<string, object>> };
}

const document = JSON.parse(JSON.stringify(asyncApi())) as unknown as Described;

describe('the AsyncAPI document', () => {
  it('is the one in docs: npm run docs:asyncapi writes it (contract 3.6)', async () => {
    const written = await readFile(new URL('../../../../docs/asyncapi.json', import.meta.url), 'utf8');
    expect(JSON.parse(written)).toEqual(document);
  });

  it('is valid AsyncAPI 3.0 with its Kafka bindings', () => {
    const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
    const broken = { ...document, channels: { jobs: { address: 1 } } };
    expect(validate(broken)).toBe(false);
  });

  it('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    for (const path of references) expect([path, resolve(path)]).toEqual([path, expect.any(Object)]);
    expect(references.length).toBeGreaterThan(20);
  });

  it('has every topic as it is created', () => {
    const told = Object.values(document.channels).map(({ address, bindings: { kafka } }) => ({
      address,
      partitions: kafka.partitions,
      retention: (kafka.topicConfiguration as { 'retention.ms': number })['retention.ms'],
    }));
    const created = topicTable.map(({ name, partitions, config }) => ({
      address: name,
      partitions,
      retention: Number(config['retention.ms']),
    }));
    expect(told).toEqual(expect.arrayContaining(created));
    expect(told).toHaveLength(created.length);
    expect(JSON.stringify(document)).toContain(`"const":"${consumerGroups.worker}"`);
  });

  it('has the headers that records are written with (contract 5.1)', () => {
    const eventId = 'evt_01h455vb4pex5vsknk084sn02q';
    const occurredAt = '2026-11-30T10:00:00.123Z';
    const sent = encodeRecord({
      id: '1',
      topic: '',
      key: 'job_1',
      eventId,
      type: 'job.failed',
      occurredAt,
      body: '{}',
    });
    expect(recordHeadersSchema('job.failed').parse(sent.headers)).toEqual(sent.headers);
  });

  it('refuses no member that a later version adds (contract 3.6)', () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });
});

function resolve(path: string): unknown {
  return path
    .split('/')
    .reduce<unknown>((place, name) => (place as Record<string, unknown> | undefined)?.[name], document);
}
