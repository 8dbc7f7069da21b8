import { setTimeout as pause } from 'node:timers/promises';
import { Database, PruneStore } from '#libs/persistence';

/** Deletes expired idempotency keys by the worker's statement, batch after batch without a pause, until SIGTERM; then prints as JSON what it did. */
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

/** As many as the worker takes at once. */
const batchSize = 500;
const idlePauseMs = 20;

const { databaseUrl } = JSON.parse(process.argv[2] ?? '') as PurgeOptions;
let isStopped = false;
process.once('SIGTERM', () => (isStopped = true));
console.log(JSON.stringify(await purge()));

async function purge(): Promise<PurgeResult> {
  const database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 1 });
  const store = new PruneStore(database);
  const startedAtMs = performance.now();
  let [deleted, idleMs] = [0, 0];
  while (!isStopped) {
    const rows = await store.keys(batchSize);
    deleted += rows;
    if (rows > 0) continue;
    await pause(idlePauseMs);
    idleMs += idlePauseMs;
  }
  const elapsedMs = performance.now() - startedAtMs;
  await database.close();
  return { deleted, idleMs, elapsedMs };
}
