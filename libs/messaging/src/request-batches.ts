import type { OutboxRecord } from './outbox-record.js';

/** Records of one topic that go out in one request. */
export interface RequestBatch {
  readonly topic: string;
  readonly records: readonly OutboxRecord[];
}

/** Room for keys and headers of one record, in bytes; generous. */
const overheadBytes = 512;

/**
 * Divides records into requests by topic, each of at most `maxBytes` unless one record alone is larger; the order within a topic stays.
 * (Kafka refuses a request as a whole when the records of one partition together exceed the topic's limit.)
 */
export function requestBatches(records: readonly OutboxRecord[], maxBytes: number): RequestBatch[] {
  return [...new Set(records.map(({ topic }) => topic))].flatMap((topic) => {
    const ofTopic = records.filter((record) => record.topic === topic);
    return divide(ofTopic, maxBytes).map((part) => ({ topic, records: part }));
  });
}

/** The two halves of a request that was refused, to find out which of its records are the reason. */
export function halves({ topic, records }: RequestBatch): RequestBatch[] {
  const middle = Math.ceil(records.length / 2);
  return [records.slice(0, middle), records.slice(middle)].map((half) => ({ topic, records: half }));
}

function divide(records: readonly OutboxRecord[], maxBytes: number): OutboxRecord[][] {
  const parts: OutboxRecord[][] = [];
  let roomBytes = 0;
  for (const record of records) {
    const bytes = Buffer.byteLength(record.body) + overheadBytes;
    const last = parts.at(-1);
    if (last && bytes <= roomBytes) {
      last.push(record);
    } else {
      parts.push([record]);
      roomBytes = maxBytes;
    }
    roomBytes -= bytes;
  }
  return parts;
}
