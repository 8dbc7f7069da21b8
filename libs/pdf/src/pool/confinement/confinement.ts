import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What may be missing on a system, by the name under which `/readyz` tells it. */
export type MissingCapability = 'network_namespace' | 'resource_limits';

/** How this system shuts a process in: programs of util-linux that apply it and then become the process. `null`: it cannot. */
export interface Confinement {
  /** Puts a process in a network of its own, in which there is nobody else. */
  readonly network: readonly string[] | null;
  /** Bounds what a process may take; the bounds follow as arguments. */
  readonly limits: readonly string[] | null;
}

/** Without privileges a user namespace is needed; a container for root may allow a network namespace and no user namespace. */
const networkCandidates = [
  ['unshare', '--user', '--map-current-user', '--net', '--'],
  ['unshare', '--net', '--'],
];
const limits = ['prlimit'];
const probeTimeoutMs = 10_000;
const run = promisify(execFile);

export const unconfined: Confinement = { network: null, limits: null };

/** Tries what this system has; each is used only if it worked. */
export async function findConfinement(): Promise<Confinement> {
  const [network, hasLimits] = await Promise.all([findNetwork(), takesLimits()]);
  return { network, limits: hasLimits ? limits : null };
}

export function missingFrom({ network, limits }: Confinement): MissingCapability[] {
  return [
    ...(network === null ? (['network_namespace'] as const) : []),
    ...(limits === null ? (['resource_limits'] as const) : []),
  ];
}

async function findNetwork(): Promise<readonly string[] | null> {
  const own = await readlink('/proc/self/ns/net').catch(() => null);
  if (own === null) return null;
  for (const candidate of networkCandidates) {
    const other = await outputOf([...candidate, 'readlink', '/proc/self/ns/net']);
    if (other !== null && other.startsWith('net:') && other !== own) return candidate;
  }
  return null;
}

async function takesLimits(): Promise<boolean> {
  const output = await outputOf([...limits, '--core=0', '--data=1073741824', 'cat', '/proc/self/limits']);
  return output !== null && /^Max data size +1073741824 +1073741824 /m.test(output);
}

/** What a program printed; `null` if it could not be run, or failed. */
async function outputOf([program = '', ...words]: readonly string[]): Promise<string | null> {
  try {
    return (await run(program, words, { env: {}, timeout: probeTimeoutMs })).stdout.trim();
  } catch {
    return null;
  }
}
