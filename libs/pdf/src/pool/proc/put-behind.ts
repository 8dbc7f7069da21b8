import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A thirtieth of what another process gets where both want all of a processor (setpriority(2)): it gives way, and still comes to an end. */
const behind = 15;

/**
 * Gives a process a low priority: all its threads, and its session, which Linux may weigh against other sessions before it looks at
 * threads (sched(7), autogroups). Best effort; false if it is to be tried again.
 */
export function putBehind(pid: number): boolean {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), behind);
    writeFileSync(`/proc/${pid}/autogroup`, String(behind));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EAGAIN';
  }
}
