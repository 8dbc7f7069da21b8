import type { DeliveryState, EventType, JobAttemptOutcome } from '#libs/domain';

/** What happened to a job, each list oldest first; ids are UUIDs. */
export interface JobHistory {
  readonly submittedAt: Date;
  readonly attempts: readonly JobAttempt[];
  /** Of its end: one at most. */
  readonly events: readonly { readonly id: string; readonly type: EventType; readonly occurredAt: Date }[];
  readonly deliveries: readonly JobDelivery[];
}

/** One try to do the job; `outcome` and `endedAt` are `null` while it is under way. One that was handed back shares its number with the next. */
export interface JobAttempt {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: JobAttemptOutcome | null;
}

/** A delivery of an event of the job, with how often it was tried. */
export interface JobDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  readonly attempts: number;
}

/** A history as its statement gives it: instants in JSON are texts. */
export interface JobHistoryRow {
  readonly created_at: Date;
  readonly attempts: readonly WithTexts<JobAttempt, 'startedAt' | 'endedAt'>[];
  readonly events: readonly WithTexts<JobHistory['events'][number], 'occurredAt'>[];
  readonly deliveries: readonly WithTexts<JobDelivery, 'createdAt'>[];
}

type WithTexts<T, Instants extends keyof T> = {
  readonly [Key in keyof T]: Key extends Instants ? string | Extract<T[Key], null> : T[Key];
};

/** The history of a row. */
export function jobHistoryOf(row: JobHistoryRow): JobHistory {
  return {
    submittedAt: row.created_at,
    attempts: row.attempts.map(({ startedAt, endedAt, ...attempt }) => ({
      ...attempt,
      startedAt: new Date(startedAt),
      endedAt: endedAt === null ? null : new Date(endedAt),
    })),
    events: row.events.map((event) => ({ ...event, occurredAt: new Date(event.occurredAt) })),
    deliveries: row.deliveries.map((delivery) => ({ ...delivery, createdAt: new Date(delivery.createdAt) })),
  };
}
