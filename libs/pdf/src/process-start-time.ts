import { readFile } from 'node:fs/promises';

/** After the name in parentheses: the state is the first field of /proc/PID/stat, the start time the twentieth (proc(5)). */
const stateField = 0;
const startTimeField = 19;
const endedStates = ['Z', 'X'];

/**
 * When a process started, in clock ticks since boot: with the pid it names one process for good. 0 where the system does not
 * tell (it needs Linux); `null` if no such process runs.
 */
export async function processStartTime(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return isSignalable(pid) ? '0' : null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return endedStates.includes(fields[stateField] ?? '') ? null : (fields[startTimeField] ?? '0');
}

function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
