import { setTimeout as pause } from 'node:timers/promises';
import { Database, PruneStore } from '#libs/persistence';
import { pino } from 'pino';
import { Prune } from '../../apps/worker/src/prune/prune.js';

/** Deletes expired idempotency keys as a worker does, pass after pass without a pause, until SIGTERM; then prints as JSON what it did. */
export interface PurgeOptions {
  readonly databaseUrl: string;
}

/** What a purge prints. */
export interface PurgeResult {
  readonly deleted: number;
  /** Time without an expired row. */
  readonly idleMs: number;
  readonly elapsedMs: number;
}

const idlePauseMs = 20;
/** Nothing else is old enough to go. */
const eventTtlMs = 24 * 60 * 60 * 1_000;

const { databaseUrl } = JSON.parse(process.argv[2] ?? '') as PurgeOptions;
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
console.log(JSON.stringify(await purge()));

async function purge(): Promise<PurgeResult> {
  const database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 1 });
  const prune = new Prune(new PruneStore(database), eventTtlMs, pino({ level: 'silent' }));
  const startedAtMs = performance.now();
  let [deleted, idleMs] = [0, 0];
  while (!stopping.signal.aborted) {
    const { keys = 0 } = await prune.prune(stopping.signal);
    deleted += keys;
    if (keys > 0) continue;
    await pause(idlePauseMs);
    idleMs += idlePauseMs;
  }
  const elapsedMs = performance.now() - startedAtMs;
  await database.close();
  return { deleted, idleMs, elapsedMs };
}
