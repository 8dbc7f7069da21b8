import { stat } from 'node:fs/promises';
import { runProgram, type SystemUser } from './run-program.js';

const existingNames = ['postgres', '_postgres'];
const madeName = 'postgres';

/**
 * The user the server runs as. Postgres refuses to run as root, so as root it is the owner of the cluster that is already
 * there, else the system's `postgres` user, which is made if there is none. Otherwise undefined: the user of this process.
 *
 * @throws Error that names the remedy when there is no such user and none can be made
 */
export async function serverUser(dataDirectory: string): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  return (await ownerOf(dataDirectory)) ?? (await firstUser(existingNames)) ?? (await makeUser(madeName));
}

async function ownerOf(directory: string): Promise<SystemUser | undefined> {
  const owner = await stat(directory).catch(() => undefined);
  return owner === undefined || owner.uid === 0 ? undefined : { uid: owner.uid, gid: owner.gid };
}

async function firstUser(names: readonly string[]): Promise<SystemUser | undefined> {
  for (const name of names) {
    const user = await findUser(name);
    if (user !== undefined) return user;
  }
  return undefined;
}

async function findUser(name: string): Promise<SystemUser | undefined> {
  const uid = await runProgram('id', ['-u', name], { cwd: '/' });
  const gid = await runProgram('id', ['-g', name], { cwd: '/' });
  return uid.code === 0 && gid.code === 0 ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined;
}

/** Makes a system user without login or home; `adduser -S` is how BusyBox spells it. */
export async function makeUser(name: string): Promise<SystemUser> {
  const ways: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', name]],
    ['adduser', ['-S', '-D', '-H', '-s', '/bin/false', name]],
  ];
  for (const [program, args] of ways) {
    await runProgram(program, args, { cwd: '/' }).catch(() => undefined);
    const user = await findUser(name);
    if (user !== undefined) return user;
  }
  throw new Error(
    `Postgres does not run as root and the system user "${name}" could not be made: ` +
      `make it (useradd --system ${name}), or start as a user other than root`,
  );
}
