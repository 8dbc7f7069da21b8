import { decodeRecord, encodeRecord, type RawRecord } from './envelope.js';
import type { OutboxRecord } from './outbox-record.js';

const record: OutboxRecord = {
  id: '42',
  topic: 'pdfonce.events.v1',
  key: 'job_01',
  eventId: 'evt_01',
  type: 'job.completed',
  occurredAt: '2026-11-30T10:00:00.123Z',
  body: '{"id":"evt_01", "data":{"name":"Zürich ✓","n":1.0}}',
};

const sent = encodeRecord(record);

function arrived(change: Partial<RawRecord> = {}): RawRecord {
  return { key: Buffer.from(sent.key), value: sent.value, headers: bytes(sent.headers), ...change };
}

function bytes(headers: Record<string, string>): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value)]));
}

function withHeader(name: string, value: Buffer | string | Buffer[] | undefined): RawRecord {
  return arrived({ headers: { ...bytes(sent.headers), [name]: value } });
}

describe('the envelope', () => {
  it('is CloudEvents 1.0 in binary mode with the stored bytes as the value (contract 5.1)', () => {
    expect(sent.headers).toEqual({
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: 'evt_01',
      ce_source: '/pdfonce',
      ce_type: 'job.completed',
      ce_time: '2026-11-30T10:00:00.123Z',
      ce_subject: 'job_01',
      ce_partitionkey: 'job_01',
    });
    expect(sent.value.toString('utf8')).toBe(record.body);
    expect(sent.key).toBe('job_01');
  });

  it('comes back as the message that was sent', () => {
    expect(decodeRecord(arrived())).toEqual({
      kind: 'message',
      message: {
        id: 'evt_01',
        type: 'job.completed',
        key: 'job_01',
        occurredAt: '2026-11-30T10:00:00.123Z',
        data: { id: 'evt_01', data: { name: 'Zürich ✓', n: 1 } },
      },
    });
  });

  it('ignores headers it does not know and parameters of the content type', () => {
    const headers = { ...bytes(sent.headers), traceparent: 'x', 'content-type': 'application/json; charset=utf-8' };
    expect(decodeRecord(arrived({ headers })).kind).toBe('message');
  });

  it.each<[string, RawRecord, string]>([
    ['a null value', arrived({ value: null }), 'the value is missing'],
    ['an empty value', arrived({ value: Buffer.alloc(0) }), 'the value is empty'],
    ['a value that is no JSON', arrived({ value: Buffer.from('{"a":') }), 'the value is no JSON'],
    ['a value that is no UTF-8', arrived({ value: Buffer.from([0x22, 0xff, 0x22]) }), 'the value is no UTF-8'],
    ['a value that starts with a zero byte', arrived({ value: Buffer.from([0, 0x7b, 0x7d]) }), 'the value is no JSON'],
    ['no key', arrived({ key: null }), 'the key is missing'],
    ['no headers', { key: 'k', value: Buffer.from('{}') }, 'header content-type is missing'],
    ['no event id', withHeader('ce_id', undefined), 'header ce_id is missing'],
    ['two event ids', withHeader('ce_id', [Buffer.from('a'), Buffer.from('b')]), 'header ce_id is repeated'],
    ['an empty type', withHeader('ce_type', ''), 'header ce_type is empty'],
    ['another version', withHeader('ce_specversion', '2.0'), 'header ce_specversion has a value that cannot be read'],
    ['a time that is none', withHeader('ce_time', 'yesterday'), 'header ce_time has a value that cannot be read'],
    ['the 13th month', withHeader('ce_time', '2026-13-01T00:00:00Z'), 'header ce_time has a value that cannot be read'],
    [
      'structured mode',
      withHeader('content-type', 'application/cloudevents+json'),
      'header content-type has a value that cannot be read',
    ],
  ])('calls a record with %s undecodable and says why', (_, raw, reason) => {
    expect(decodeRecord(raw)).toEqual({ kind: 'undecodable', reason });
  });
});
