import { readFileSync } from 'node:fs';

/** Behind the name in parentheses of /proc/PID/stat: user and system time, in hundredths of a second whatever the kernel's own tick (proc(5)). */
const userTimeField = 11;
const systemTimeField = 12;
const tickMs = 10;

/** The processor time that a process has used, all its threads together; `null` as in {@link residentBytes}. */
export function processorMs(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[userTimeField]) + Number(fields[systemTimeField])) * tickMs;
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
