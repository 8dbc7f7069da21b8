import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AlreadyRunning, openDataDirectory, ForeignDirectory, UnusableDirectory } from './open-data-directory.js';
import { identityOf } from './process-identity.js';

const built = pathToFileURL(join(process.cwd(), 'dist/apps/standalone/src/data-directory/open-data-directory.js')).href;

/** A process that opens the directories it is told to, and answers with `held` or the pid of the holder. */
const openerSource = `
import { openDataDirectory } from ${JSON.stringify(built)};
process.on('message', async (directory) => {
  const answer = await openDataDirectory(directory).then(() => 'held', (error) => error.pid ?? String(error));
  process.send(answer);
});
process.on('disconnect', () => process.exit());
process.send('started');
`;

let scratch: string;
let root: string;
let openers: ChildProcess[];

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'pdfonce-data-'));
  root = join(scratch, 'data');
  await mkdir(root);
  openers = [];
});

afterEach(async () => {
  await Promise.all(openers.map(kill));
  await rm(scratch, { recursive: true });
});

async function startOpener(): Promise<ChildProcess> {
  const file = join(scratch, 'opener.mjs');
  await writeFile(file, openerSource);
  const opener = fork(file, { execArgv: [], env: { ...process.env, NODE_OPTIONS: '' } });
  openers.push(opener);
  await once(opener, 'message');
  return opener;
}

async function open(opener: ChildProcess, directory: string): Promise<unknown> {
  const answered = once(opener, 'message');
  opener.send(directory);
  return (await answered)[0];
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** A lock whose holder is dead: process ids end at 4194304 (2^22). */
async function leaveStaleLock(directory: string): Promise<void> {
  await mkdir(join(directory, 'lock'), { recursive: true });
  await symlink('4194305 1 0', join(directory, 'lock', '1'));
}

describe('openDataDirectory', () => {
  it('makes a directory that nobody else can list or write', async () => {
    const { path, release } = await openDataDirectory(join(root, 'a', 'data'));
    expect((await stat(path)).mode & 0o066).toBe(0);
    await release();
  });

  it('refuses a directory with files of somebody else and writes nothing into it', async () => {
    const foreign = await mkdtemp(join(tmpdir(), 'pdfonce-foreign-'));
    await writeFile(join(foreign, 'thesis.txt'), '');
    await expect(openDataDirectory(foreign)).rejects.toThrow(ForeignDirectory);
    expect(await readdir(foreign)).toEqual(['thesis.txt']);
    await rm(foreign, { recursive: true });
  });

  it('says of a path that is a file that it cannot be used as a directory', async () => {
    const file = `${root}-file`;
    await writeFile(file, '');
    await expect(openDataDirectory(file)).rejects.toThrow(UnusableDirectory);
    await rm(file);
  });

  it('refuses a second opener, naming the process of the first', async () => {
    const opener = await startOpener();
    expect(await open(opener, root)).toBe('held');
    await expect(openDataDirectory(root)).rejects.toThrow(AlreadyRunning);
    await expect(openDataDirectory(root)).rejects.toMatchObject({ pid: opener.pid });
  });

  it('refuses a second opener in the same process', async () => {
    const { release } = await openDataDirectory(root);
    await expect(openDataDirectory(root)).rejects.toMatchObject({ pid: process.pid });
    await release();
  });

  it('is free again after release', async () => {
    for (let round = 0; round < 3; round += 1) await (await openDataDirectory(root)).release();
    expect(await readdir(join(root, 'lock'))).toHaveLength(1);
  });

  it('is free as soon as its holder is killed', async () => {
    const opener = await startOpener();
    expect(await open(opener, root)).toBe('held');
    await kill(opener);
    await (await openDataDirectory(root)).release();
  });

  it('takes over the lock of a process whose id now belongs to another', async () => {
    const { pid, bootId } = await identityOf(process.pid);
    await mkdir(join(root, 'lock'));
    await symlink(`${pid} 1 ${bootId}`, join(root, 'lock', '7'));
    await (await openDataDirectory(root)).release();
  });

  it('lets exactly one of several simultaneous openers in, from nothing and from a stale lock', async () => {
    const contenders = await Promise.all([startOpener(), startOpener(), startOpener()]);
    for (let round = 0; round < 20; round += 1) {
      const directory = join(root, `round-${round}`);
      if (round % 2 === 1) await leaveStaleLock(directory);
      const answers = await Promise.all(contenders.map((contender) => open(contender, directory)));
      const winner = contenders[answers.indexOf('held')];
      expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
      expect(answers.filter((answer) => answer !== 'held')).toEqual([winner?.pid, winner?.pid]);
    }
  });
});

describe('keptSecret', () => {
  it('makes a secret once, readable by its owner alone, and gives the same ever after', async () => {
    const { keptSecret, release } = await openDataDirectory(root);
    expect(await keptSecret('secret-key', () => 'first')).toBe('first');
    expect(await keptSecret('secret-key', () => 'second')).toBe('first');
    expect((await stat(join(root, 'secret-key'))).mode & 0o777).toBe(0o600);
    await release();
  });

  it('gives simultaneous makers one and the same secret', async () => {
    const { keptSecret, release } = await openDataDirectory(root);
    const secrets = await Promise.all(['a', 'b', 'c', 'd'].map((made) => keptSecret('api-key', () => made)));
    expect(new Set(secrets).size).toBe(1);
    expect((await readdir(root)).filter((name) => name.startsWith('api-key'))).toEqual(['api-key']);
    await release();
  });

  it('takes back what others were allowed to read', async () => {
    const { keptSecret, release } = await openDataDirectory(root);
    await writeFile(join(root, 'secret-key'), 'restored', { mode: 0o644 });
    expect(await keptSecret('secret-key', () => 'new')).toBe('restored');
    expect((await stat(join(root, 'secret-key'))).mode & 0o777).toBe(0o600);
    await release();
  });
});
