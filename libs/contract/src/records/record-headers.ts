import { z } from 'zod';

const eventId = z.string().regex(/^evt_[0-9a-hjkmnp-tv-z]{26}$/);

/** The headers of a record on a public topic: CloudEvents 1.0, binary mode of its Kafka binding; values are UTF-8. */
export function recordHeadersSchema(type: string) {
  return z.strictObject({
    'content-type': z.literal('application/json'),
    ce_specversion: z.literal('1.0'),
    ce_id: eventId.describe('The id of the event: who has seen it drops the record'),
    ce_source: z.literal('/pdfonce'),
    ce_type: z.literal(type),
    ce_time: z.iso.datetime().describe('When it happened'),
    ce_subject: z.string().describe('What the event is about: the key of the record'),
    ce_partitionkey: z.string().describe('The key of the record'),
  });
}

/** The headers that a dead letter has beside those of the record it was. */
export const deadLetterHeadersSchema = z.looseObject({
  'dlq-reason': z.string().describe('What made the record unreadable'),
  'dlq-source-topic': z.string(),
  'dlq-source-partition': z.string().regex(/^\d+$/),
  'dlq-source-offset': z.string().regex(/^\d+$/),
  'dlq-consumer-group': z.string().describe('Whose member could not read it'),
  'dlq-failed-at': z.iso.datetime(),
  'dlq-omitted': z.string().optional().describe('What was left out, and why; the record is where it was'),
});
