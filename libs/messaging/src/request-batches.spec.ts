import type { OutboxRecord } from './outbox-record.js';
import { halves, requestBatches } from './request-batches.js';

function record(id: string, topic: string, bytes = 10): OutboxRecord {
  return {
    id,
    topic,
    key: id,
    eventId: `evt_${id}`,
    type: 't',
    occurredAt: '2026-01-01T00:00:00Z',
    body: 'x'.repeat(bytes),
  };
}

function shape(batches: ReturnType<typeof requestBatches>) {
  return batches.map(({ topic, records }) => [topic, records.map(({ id }) => id).join('')]);
}

describe('request batches', () => {
  it('keep topics apart and the order within each', () => {
    const records = [record('1', 'a'), record('2', 'b'), record('3', 'a')];
    expect(shape(requestBatches(records, 10_000))).toEqual([
      ['a', '13'],
      ['b', '2'],
    ]);
  });

  it('never exceed the limit unless one record alone does', () => {
    const records = [record('1', 'a', 400), record('2', 'a', 400), record('3', 'a', 9_000), record('4', 'a', 10)];
    expect(shape(requestBatches(records, 2_000))).toEqual([
      ['a', '12'],
      ['a', '3'],
      ['a', '4'],
    ]);
  });

  it('are none for no records', () => {
    expect(requestBatches([], 1_000)).toEqual([]);
  });

  it('fall into two non-empty halves', () => {
    const [batch] = requestBatches([record('1', 'a'), record('2', 'a'), record('3', 'a')], 10_000);
    expect(batch && shape(halves(batch))).toEqual([
      ['a', '12'],
      ['a', '3'],
    ]);
  });
});
