import { readSync } from 'node:fs';
import { leashDescriptor } from './leash-descriptor.js';

/**
 * Runs in a thread of its own, blocked on the pipe from the parent. Its end means that the parent is gone, however it died; then
 * the whole process group goes too, even when the main thread hangs in a loop.
 */
function holdLeash(): void {
  const nothing = Buffer.alloc(1);
  try {
    while (readSync(leashDescriptor, nothing) > 0);
  } finally {
    process.kill(-process.pid, 'SIGKILL');
  }
}

holdLeash();
