import { readFileSync } from 'node:fs';
import { readProcessStat } from './process-stat.js';

/** The processor time that a process has used, all its threads together; `null` as in {@link residentBytes}. */
export function processorMs(pid: number): number | null {
  const content = read(`/proc/${pid}/stat`);
  return content === null ? null : readProcessStat(content).processorMs;
}

/** The memory that a process has in RAM; `null` where the system does not tell (it needs Linux) or the process is gone. */
export function residentBytes(pid: number): number | null {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** These files come from the kernel at once: reading them by way of another thread would cost ten times as much. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
