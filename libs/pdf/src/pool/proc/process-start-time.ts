import { readFile } from 'node:fs/promises';
import { readProcessStat } from './process-stat.js';

const endedStates = ['Z', 'X'];

/**
 * When a process started, in clock ticks since boot: with the pid it names one process for good. 0 where the system does not
 * tell (it needs Linux); `null` if no such process runs.
 */
export async function processStartTime(pid: number): Promise<string | null> {
  const content = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (content === null) return isSignalable(pid) ? '0' : null;
  const { state, startTime } = readProcessStat(content);
  return endedStates.includes(state) ? null : startTime;
}

function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
