import type { Confinement } from './confinement.js';

/** What a process for documents is started with. */
export interface ChildSettings {
  /** The built file that the process runs. */
  readonly entry: string;
  readonly confinement: Confinement;
  /** What it may have in RAM. */
  readonly memoryBytes: number;
  /** The largest file that it may write. */
  readonly maxFileBytes: number;
  /** Processor time of its whole life. */
  readonly lifetimeMs: number;
  /** Where it is before its first task. */
  readonly directory: string;
}

/** The rest is for the program itself and for the buffers of the documents, which V8 does not count as heap. */
const heapShare = 0.6;
/**
 * The system counts what a process has asked for, most of it stacks of threads that are never touched, and refuses beyond this; what is in RAM
 * is less by about the first term. So this is met when the memory limit is exceeded for good.
 */
const untouchedBytes = 48 * 2 ** 20;
const tolerance = 1.1;
/** The signal for used-up processor time comes first, for it says why; a process that outlives it is killed. */
const killAfterSeconds = 2;
/** More than any operation has open. */
const maxOpenFiles = 256;

/** The program and its arguments: what confines it first, each word of which becomes the next without a new process. */
export function childCommand(settings: ChildSettings): readonly [program: string, ...words: string[]] {
  const { network, limits } = settings.confinement;
  const heapMebibytes = Math.max(1, Math.floor((settings.memoryBytes * heapShare) / 2 ** 20));
  const node = [process.execPath, `--max-old-space-size=${heapMebibytes}`, settings.entry];
  const bounded = limits === null ? node : [...limits, ...boundsOf(settings), '--', ...node];
  const [program = process.execPath, ...words] = [...(network ?? []), ...bounded];
  return [program, ...words];
}

function boundsOf({ memoryBytes, maxFileBytes, lifetimeMs }: ChildSettings): string[] {
  const lifetimeSeconds = Math.ceil(lifetimeMs / 1000);
  return [
    `--data=${Math.ceil(memoryBytes * tolerance) + untouchedBytes}`,
    `--fsize=${maxFileBytes}`,
    `--cpu=${lifetimeSeconds}:${lifetimeSeconds + killAfterSeconds}`,
    `--nofile=${maxOpenFiles}`,
    '--core=0',
  ];
}
