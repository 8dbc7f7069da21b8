import { setTimeout as pause } from 'node:timers/promises';
import { envelope } from '#libs/domain';
import { Database, EventStore } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { monotonicMs } from '../support/monotonic-ms.js';

/** Makes events at a steady rate, each in a transaction of its own, for accounts in turn. Prints how many as JSON. */
export interface EventSourceOptions {
  readonly databaseUrl: string;
  /** UUIDs. */
  readonly accountIds: readonly string[];
  readonly perSecond: number;
  /** What is made at first does not count. */
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** What receivers find in `data` of such an event. */
export interface SourcedData {
  /** When it happened, on the machine's monotonic clock. */
  readonly madeAtMs: number;
  readonly isMeasured: boolean;
}

/** How many events were made after the warm-up for each account. */
export type SourcedEvents = readonly number[];

const poolSize = 6;
const type = 'job.cancelled';

async function make(events: EventStore, database: Database, accountId: string, isMeasured: boolean): Promise<void> {
  const id = uuidv7();
  const occurredAt = new Date();
  const data: SourcedData = { madeAtMs: monotonicMs(), isMeasured };
  const event = { id, type, occurredAt, body: envelope(id, type, occurredAt, data) };
  await database.transaction((tx) => events.record(tx, accountId, [{ event, subject: { jobId: uuidv7() } }]));
}

async function run({
  databaseUrl,
  accountIds,
  perSecond,
  warmUpMs,
  measuredMs,
}: EventSourceOptions): Promise<SourcedEvents> {
  const database = new Database({ url: databaseUrl, purpose: 'work', poolSize });
  const events = new EventStore({ topic: 'pdfonce.events.v1', state: 'local' });
  const made = accountIds.map(() => 0);
  const total = Math.round((perSecond * (warmUpMs + measuredMs)) / 1_000);
  const startedAtMs = performance.now();
  const open: Promise<void>[] = [];
  for (let number = 0; number < total; number += 1) {
    const sinceMs = (1_000 * number) / perSecond;
    await pause(Math.max(0, startedAtMs + sinceMs - performance.now()));
    const isMeasured = sinceMs >= warmUpMs;
    const index = number % accountIds.length;
    if (isMeasured) made[index] = (made[index] ?? 0) + 1;
    open.push(make(events, database, accountIds[index] ?? '', isMeasured));
  }
  await Promise.all(open);
  await database.close();
  return made;
}

console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? '') as EventSourceOptions)));
