import { readFile, writeFile } from 'node:fs/promises';
import { childrenOf } from '../support/processes.js';

/** USER_HZ, the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Makes the peak of a process start anew (proc(5), clear_refs). */
const resetPeak = '5';

/** Processes and all their descendants. Needs Linux. */
export async function treeOf(roots: readonly number[]): Promise<number[]> {
  const found = new Set<number>();
  const queue = [...roots];
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    if (found.has(pid)) continue;
    found.add(pid);
    queue.push(...(await childrenOf(pid)));
  }
  return [...found];
}

/** Processor time of processes so far, in milliseconds, children that ended included. Needs Linux. */
export async function cpuMsOf(pids: readonly number[]): Promise<number> {
  return ((await ticksOf(pids)) * 1_000) / ticksPerSecond;
}

/** Proportional set size of processes together, in bytes: memory that several share is counted once. Needs Linux. */
export async function proportionalBytesOf(pids: readonly number[]): Promise<number> {
  return sum(await Promise.all(pids.map((pid) => kilobytesOf(`/proc/${pid}/smaps_rollup`, 'Pss'))));
}

/** Resident memory of a process now, in bytes; 0 when it is gone. Needs Linux. */
export async function residentBytesOf(pid: number): Promise<number> {
  return kilobytesOf(`/proc/${pid}/status`, 'VmRSS');
}

/** Most resident memory of a process since {@link forgetPeak}, in bytes. Needs Linux. */
export async function peakBytesOf(pid: number): Promise<number> {
  return kilobytesOf(`/proc/${pid}/status`, 'VmHWM');
}

/** The peak of a process is what it has now. Needs Linux 4.0, and the right to write to the process. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, resetPeak);
}

/** User and system time, fields 14 and 15 of /proc/PID/stat; children that ended are in those of their parent (16, 17). */
async function ticksOf(pids: readonly number[]): Promise<number> {
  const ticks = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return sum(fields.slice(11, 15).map(Number));
    }),
  );
  return sum(ticks);
}

async function kilobytesOf(file: string, field: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1_024;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
