import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf, proportionalBytesOf, treeOf } from './process-use.js';

/** What processes use while nothing is asked of them. */
export interface IdleUse {
  /** Of one core. */
  readonly cpuShare: number;
  /** Proportional set size of all of them: memory that several share is counted once. */
  readonly pssBytes: number;
  readonly processes: number;
}

/** Watches processes and all their descendants. Needs Linux, and the right to read their memory maps. */
export async function measureIdle(roots: readonly number[], watchedMs: number): Promise<IdleUse> {
  const before = await treeOf(roots);
  const cpuMsBefore = await cpuMsOf(before);
  const startedAt = performance.now();
  await pause(watchedMs);
  const cpuShare = ((await cpuMsOf(before)) - cpuMsBefore) / (performance.now() - startedAt);
  const after = await treeOf(roots);
  return { cpuShare, pssBytes: await proportionalBytesOf(after), processes: after.length };
}
