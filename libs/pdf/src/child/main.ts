import { writeSync } from 'node:fs';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { operations } from '../operations.js';
import { noteFailedAllocations, takeFailedAllocation } from './failed-allocations.js';
import { onlyNewPercents } from './only-new-percents.js';
import type { ChildMessage } from './protocol.js';
import { readTaskMessage } from './protocol.js';
import { runTask } from './run-task.js';

/** The blocked thread would hold up an orderly exit for ever, so every end of this process is this one. */
function die(reason?: Error): never {
  if (reason !== undefined) writeSync(2, `${reason.stack ?? reason.message}\n`);
  process.kill(-process.pid, 'SIGKILL');
  throw new Error('A killed process goes on.');
}

function send(message: ChildMessage): void {
  process.send?.(message);
}

async function answer(message: unknown): Promise<void> {
  const report = onlyNewPercents((done, total) => send({ type: 'progress', done, total }));
  const result = await runTask(readTaskMessage(message), report);
  send(takeFailedAllocation() ? { type: 'out_of_memory' } : result);
}

noteFailedAllocations();
process.on('uncaughtException', die);
process.on('disconnect', () => die());

const leash = new Worker(new URL('./leash.js', import.meta.url));
leash.on('error', die);
await once(leash, 'online');
await Promise.all(Object.values(operations).map((operation) => operation.load()));
process.on('message', (message) => void answer(message));
send({ type: 'ready' });
