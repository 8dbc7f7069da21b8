import { mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js';

export type LockOutcome =
  { readonly kind: 'held'; readonly release: () => Promise<void> } | { readonly kind: 'taken'; readonly pid: number };

interface Claim {
  readonly number: number;
  /** Undefined when the claim was given back. */
  readonly holder: ProcessIdentity | undefined;
}

const released = 'released';

/** Where in a data directory its lock lies; what has none was never opened. */
export const lockName = 'lock';

/**
 * Takes the lock of a directory for this process, unless a running process holds it. The lock dies with its process.
 *
 * A claim is a symlink named by a number in `<directory>/lock`; its target, written in the same instant, names the holder.
 * The highest number owns the lock. A claim is made only as the successor of one whose holder is dead, and symlink(2) lets
 * one process make it. The highest claim is never removed, so a process that was slow to make its claim sees, after making
 * it, the higher one and steps back. A claim is given back by a successor that names nobody.
 */
export async function lockDirectory(directory: string): Promise<LockOutcome> {
  const claims = join(directory, lockName);
  await mkdir(claims, { recursive: true, mode: 0o700 });
  const own = format(await identityOf(process.pid));
  for (;;) {
    const last = await lastClaim(claims);
    if (last?.holder !== undefined && (await isRunning(last.holder))) return { kind: 'taken', pid: last.holder.pid };
    const number = (last?.number ?? 0) + 1;
    if (!(await makeClaim(claims, number, own))) continue;
    if ((await highestNumber(claims)) === number) {
      await removeBelow(claims, number);
      return { kind: 'held', release: () => giveBack(claims, number) };
    }
    await removeClaim(claims, number);
  }
}

async function giveBack(claims: string, number: number): Promise<void> {
  if (await makeClaim(claims, number + 1, released)) await removeClaim(claims, number);
}

async function lastClaim(claims: string): Promise<Claim | undefined> {
  for (;;) {
    const number = await highestNumber(claims);
    if (number === undefined) return undefined;
    const target = await unlessCode('ENOENT', readlink(join(claims, String(number))));
    if (target !== undefined) return { number, holder: parse(target) };
  }
}

/** False when another process made this claim. */
async function makeClaim(claims: string, number: number, target: string): Promise<boolean> {
  const made = await unlessCode(
    'EEXIST',
    symlink(target, join(claims, String(number))).then(() => true),
  );
  return made === true;
}

async function highestNumber(claims: string): Promise<number | undefined> {
  const numbers = (await readdir(claims)).map(Number).filter(Number.isSafeInteger);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

async function removeBelow(claims: string, number: number): Promise<void> {
  const numbers = (await readdir(claims)).map(Number).filter((other) => other < number);
  await Promise.all(numbers.map((other) => removeClaim(claims, other)));
}

async function removeClaim(claims: string, number: number): Promise<void> {
  await rm(join(claims, String(number)), { force: true });
}

async function unlessCode<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}

function format(holder: ProcessIdentity): string {
  return [holder.pid, holder.startedAtTicks, holder.bootId].filter((part) => part !== undefined).join(' ');
}

function parse(target: string): ProcessIdentity | undefined {
  if (target === released) return undefined;
  const [pid, startedAtTicks, bootId] = target.split(' ');
  if (startedAtTicks === undefined || bootId === undefined) return { pid: Number(pid) };
  return { pid: Number(pid), startedAtTicks, bootId };
}
