import { readdir, readFile } from 'node:fs/promises';

/** The running processes whose parent is this one (zombies are not running). Needs Linux. */
export async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(async (pid) => ({ pid, ...(await statOf(pid)) })));
  return stats.filter(({ state, parentPid }) => parentPid === parent && state !== 'Z').map(({ pid }) => pid);
}

/** Whether a process runs (a zombie does not). Needs Linux. */
export async function isRunning(pid: number): Promise<boolean> {
  const { state } = await statOf(pid);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Fields 3 and 4 of /proc/PID/stat, behind the name in parentheses. */
async function statOf(pid: number): Promise<{ state: string | undefined; parentPid: number | undefined }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' ? { state: undefined, parentPid: undefined } : { state, parentPid: Number(parentPid) };
}
