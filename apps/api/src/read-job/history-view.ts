import { typeId } from '#libs/domain';
import type { JobHistory } from '#libs/persistence';

/**
 * The public JSON of what happened to a job. Its parts follow each other by nature, so entries stand in that order whatever the clocks of the
 * processes that wrote them say.
 */
export function historyView(jobId: string, history: JobHistory) {
  return {
    object: 'job_history' as const,
    job_id: typeId('job', jobId),
    entries: [
      { type: 'submitted' as const, at: history.submittedAt.toISOString() },
      ...history.attempts.map(attemptEntry),
      ...history.events.map(eventEntry),
      ...history.deliveries.map(deliveryEntry),
    ],
  };
}

function attemptEntry({ number, startedAt, endedAt, outcome }: JobHistory['attempts'][number]) {
  const at = startedAt.toISOString();
  return { type: 'attempt' as const, at, number, ended_at: endedAt?.toISOString() ?? null, outcome };
}

function eventEntry({ id, type, occurredAt }: JobHistory['events'][number]) {
  return { type: 'event' as const, at: occurredAt.toISOString(), event_id: typeId('evt', id), event_type: type };
}

function deliveryEntry({ id, eventId, endpointId, state, createdAt, attempts }: JobHistory['deliveries'][number]) {
  return {
    type: 'delivery' as const,
    at: createdAt.toISOString(),
    delivery_id: typeId('dlv', id),
    event_id: typeId('evt', eventId),
    endpoint_id: typeId('ep', endpointId),
    state,
    attempts,
  };
}
