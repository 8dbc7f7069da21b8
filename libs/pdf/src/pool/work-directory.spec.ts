import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processStartTime } from './proc/process-start-time.js';
import { createTaskDirectory, removeOrphanedDirectories, removeProcessDirectory } from './work-directory.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'work-directory-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe('the working directory of a process', () => {
  it('holds one empty directory for each task, for its own user only', async () => {
    const tasks = [await createTaskDirectory(root), await createTaskDirectory(root)];
    expect(new Set(tasks).size).toBe(2);
    expect(await readdir(tasks[0] ?? '')).toEqual([]);
    const owner = dirname(tasks[0] ?? '');
    expect(basename(owner)).toBe(`pdfonce-${hostname()}-${process.pid}-${await processStartTime(process.pid)}`);
    expect(dirname(tasks[1] ?? '')).toBe(owner);
    expect((await stat(owner)).mode & 0o077).toBe(0);
  });

  it('is made with its parents, and removed with all that is in it', async () => {
    const deep = join(root, 'not', 'yet', 'there');
    await writeFile(join(await createTaskDirectory(deep), 'file'), 'x');
    await removeProcessDirectory(deep);
    await removeProcessDirectory(deep);
    expect(await readdir(deep)).toEqual([]);
  });

  it('is left alone as long as its process runs', async () => {
    const task = await createTaskDirectory(root);
    expect(await removeOrphanedDirectories(root)).toEqual([]);
    expect(await readdir(task)).toEqual([]);
  });

  it('is removed once its process was killed', async () => {
    const owner = await makeDirectoryInAnotherProcess();
    expect(await removeOrphanedDirectories(root)).toEqual([]);
    await owner.kill();
    const names = await readdir(root);
    expect(names).toEqual([expect.stringContaining(`-${owner.pid}-`)]);
    expect(await removeOrphanedDirectories(root)).toEqual(names);
    expect(await readdir(root)).toEqual([]);
  });

  it('is removed when its pid belongs to a later process', async () => {
    const startTime = Number(await processStartTime(process.pid));
    const name = `pdfonce-${hostname()}-${process.pid}-${startTime - 1}`;
    await mkdir(join(root, name));
    expect(await removeOrphanedDirectories(root)).toEqual([name]);
  });

  it('is left alone if it belongs to another host or to nobody', async () => {
    const names = [
      `pdfonce-another.host-1-1`,
      `pdfonce-${hostname()}`,
      'pdfonce-',
      'something-else',
      `x-${hostname()}-1-1`,
    ];
    for (const name of names) await mkdir(join(root, name));
    expect(await removeOrphanedDirectories(root)).toEqual([]);
    expect(await readdir(root)).toHaveLength(names.length);
  });

  it('may be looked for where nothing is yet', async () => {
    expect(await removeOrphanedDirectories(join(root, 'missing'))).toEqual([]);
  });
});

async function makeDirectoryInAnotherProcess(): Promise<{ pid: number; kill(): Promise<void> }> {
  const script = `
    const { createTaskDirectory } = await import(${JSON.stringify(pathToFileURL(resolve('dist/libs/pdf/src/index.js')))});
    await createTaskDirectory(${JSON.stringify(root)});
    process.stdout.write('made');
    setInterval(() => undefined, 1e9);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(owner, 'exit');
  await once(owner.stdout, 'data');
  return {
    pid: owner.pid ?? 0,
    kill: async () => {
      owner.kill('SIGKILL');
      await exited;
    },
  };
}
