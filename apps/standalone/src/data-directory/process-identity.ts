import { readFile } from 'node:fs/promises';

/**
 * One process, told apart from a later one that got the same id. `startedAtTicks` (clock ticks since boot) and `bootId` are
 * absent where there is no /proc.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAtTicks?: string;
  readonly bootId?: string;
}

/** The identity of the process that has this id now. */
export async function identityOf(pid: number): Promise<ProcessIdentity> {
  const [stat, bootId] = [await processStat(pid), await currentBootId()];
  if (stat === undefined || bootId === undefined) return { pid };
  return { pid, startedAtTicks: stat.startedAtTicks, bootId };
}

/** True while that very process runs. A process that ended and was not yet reaped by its parent is dead. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  const bootId = await currentBootId();
  if (identity.startedAtTicks === undefined || bootId === undefined) return hasProcess(identity.pid);
  if (identity.bootId !== bootId) return false;
  const stat = await processStat(identity.pid);
  return stat !== undefined && !'ZX'.includes(stat.state) && stat.startedAtTicks === identity.startedAtTicks;
}

/** True while a process with this id exists, whoever owns it. */
export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function currentBootId(): Promise<string | undefined> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined);
  return text?.trim();
}

/** Fields 3 and 22 of /proc/<pid>/stat (proc(5)); the name in field 2 may hold spaces and parentheses. */
async function processStat(pid: number): Promise<{ state: string; startedAtTicks: string } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startedAtTicks] = [fields?.[0], fields?.[19]];
  return state === undefined || startedAtTicks === undefined ? undefined : { state, startedAtTicks };
}
