import { type RenderedEvent, typeId } from '#libs/domain';
import type { Tx } from '../database/database.js';
import type { OutboxRoute } from '../outbox/outbox-route.js';
import { type OutboxRow, outboxRow } from '../outbox/outbox-row.js';
import { recordEvent } from './record-event.sql.js';

/** Whose event it is and what it is about; UUIDs. */
export interface EventSubject {
  readonly accountId: string;
  readonly jobId?: string;
  readonly batchId?: string;
  readonly endpointId?: string;
  /** Order of an endpoint's events. */
  readonly sequence?: number;
}

/** Events with their deliveries and outbox rows. */
export class EventStore {
  /** @param route where the outbox rows of events go */
  constructor(private readonly route: OutboxRoute) {}

  /** Writes an event in the transaction that makes it true, with its deliveries, and gives its outbox record for the announcer. */
  async record(tx: Tx, event: RenderedEvent, subject: EventSubject): Promise<OutboxRow> {
    const key = keyOf(subject);
    const { accountId, jobId = null, batchId = null, endpointId = null, sequence = null } = subject;
    const [row] = await tx.query<{ id: string }>(recordEvent, [
      event.id,
      accountId,
      event.type,
      jobId,
      batchId,
      endpointId,
      event.body,
      event.occurredAt,
      this.route.topic,
      key,
      this.route.state,
      sequence,
    ]);
    if (row === undefined) throw new Error(`the event ${event.id} was not written`);
    return outboxRow(row.id, this.route.topic, key, event);
  }
}

/** The Kafka key of an event: the id of what it is about. */
function keyOf(subject: EventSubject): string {
  if (subject.jobId !== undefined) return typeId('job', subject.jobId);
  if (subject.batchId !== undefined) return typeId('batch', subject.batchId);
  if (subject.endpointId !== undefined) return typeId('ep', subject.endpointId);
  return typeId('acct', subject.accountId);
}
