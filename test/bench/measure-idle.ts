import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf } from '../support/processes.js';

/** What processes use while nothing is asked of them. */
export interface IdleUse {
  /** Of one core. */
  readonly cpuShare: number;
  /** Proportional set size of all of them: memory that several share is counted once. */
  readonly pssBytes: number;
  readonly processes: number;
}

/** USER_HZ, the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Watches processes and all their descendants. Needs Linux, and the right to read their memory maps. */
export async function measureIdle(roots: readonly number[], watchedMs: number): Promise<IdleUse> {
  const before = await treeOf(roots);
  const cpuMsBefore = await cpuMsOf(before);
  const startedAt = performance.now();
  await pause(watchedMs);
  const cpuShare = ((await cpuMsOf(before)) - cpuMsBefore) / (performance.now() - startedAt);
  const after = await treeOf(roots);
  const pss = await Promise.all(after.map(pssOf));
  return {
    cpuShare,
    pssBytes: pss.reduce((sum, bytes) => sum + bytes, 0),
    processes: after.length,
  };
}

async function treeOf(roots: readonly number[]): Promise<number[]> {
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

/** User and system time, fields 14 and 15 of /proc/PID/stat; children that ended are in those of their parent (16, 17). */
async function ticksOf(pids: readonly number[]): Promise<number> {
  const ticks = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    }),
  );
  return ticks.reduce((sum, each) => sum + each, 0);
}

async function pssOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1_024;
}
