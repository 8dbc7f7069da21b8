import { type RenderedEvent, typeId } from '#libs/domain';
import type { Tx } from '../database/database.js';
import type { OutboxRoute } from '../outbox/outbox-route.js';
import { type OutboxRow, outboxRow } from '../outbox/outbox-row.js';
import { recordEvents, recordEventsForEndpoint } from './record-events.sql.js';

/** What an event is about; UUIDs. */
export type EventSubject =
  | { readonly jobId: string }
  | { readonly batchId: string }
  /** `sequence` orders the changes of an endpoint; `null` for what is no change. */
  | { readonly endpointId: string; readonly sequence: number | null };

/** An event and what it is about. */
export interface SubjectEvent {
  readonly event: RenderedEvent;
  readonly subject: EventSubject;
}

interface RecordedRow {
  readonly id: string;
  readonly event_id: string;
}

/** Events with their deliveries and outbox rows. */
export class EventStore {
  /** @param route where the outbox rows of events go */
  constructor(private readonly route: OutboxRoute) {}

  /** Writes events of an account in the transaction that makes them true, with their deliveries, and gives their outbox rows for the announcer. */
  async record(tx: Tx, accountId: string, events: readonly SubjectEvent[]): Promise<readonly OutboxRow[]> {
    const rows = await tx.query<RecordedRow>(recordEvents, this.#values(accountId, events));
    return this.#outboxRows(events, rows);
  }

  /** As {@link record}, for an event that one endpoint gets and no other, whatever types they select. */
  async recordForEndpoint(
    tx: Tx,
    accountId: string,
    event: RenderedEvent,
    endpointId: string,
  ): Promise<readonly OutboxRow[]> {
    const events = [{ event, subject: { endpointId, sequence: null } }];
    const rows = await tx.query<RecordedRow>(recordEventsForEndpoint, [...this.#values(accountId, events), endpointId]);
    return this.#outboxRows(events, rows);
  }

  #values(accountId: string, events: readonly SubjectEvent[]): readonly unknown[] {
    return [JSON.stringify(events.map(eventRow)), accountId, this.route.topic, this.route.state];
  }

  #outboxRows(events: readonly SubjectEvent[], rows: readonly RecordedRow[]): readonly OutboxRow[] {
    const ids = new Map(rows.map((row) => [row.event_id, row.id]));
    return events.map(({ event, subject }) => {
      const id = ids.get(event.id);
      if (id === undefined) throw new Error(`the event ${event.id} was not written`);
      return outboxRow(id, this.route.topic, keyOf(subject), event);
    });
  }
}

function eventRow({ event, subject }: SubjectEvent) {
  const { id, type, body, occurredAt } = event;
  return {
    ...{ id, type, body, occurred_at: occurredAt, key: keyOf(subject) },
    job_id: 'jobId' in subject ? subject.jobId : null,
    batch_id: 'batchId' in subject ? subject.batchId : null,
    ...('endpointId' in subject ? { endpoint_id: subject.endpointId, sequence: subject.sequence } : {}),
  };
}

/** The Kafka key of an event: the id of what it is about. */
function keyOf(subject: EventSubject): string {
  if ('jobId' in subject) return typeId('job', subject.jobId);
  if ('batchId' in subject) return typeId('batch', subject.batchId);
  return typeId('ep', subject.endpointId);
}
