import { open as openFile, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { availableParallelism, getPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '../../../../test/support/eventually.js';
import {
  hangingPdf,
  heapFillingPdf,
  inflatingPdf,
  samplePdf,
  widthsFrom,
} from '../../../../test/support/pdf-samples.js';
import { mebibyte, PoolTrial, runUntilSecondInput } from '../../../../test/support/pool-trial.js';
import { isRunning } from '../../../../test/support/processes.js';
import { processorMs } from './proc/process-use.js';

let trial: PoolTrial;

beforeEach(async () => {
  trial = await PoolTrial.begin();
});

afterEach(() => trial.end());

/** The temporary directories of tasks. */
async function temporaryDirectories(): Promise<string[]> {
  const owners = (await readdir(trial.directory)).filter((name) => name.startsWith('pdfonce-'));
  const tasks = await Promise.all(
    owners.map(async (owner) =>
      (await readdir(join(trial.directory, owner))).map((name) => join(trial.directory, owner, name)),
    ),
  );
  return tasks.flat();
}

describe('the bounds of a document process', () => {
  it('ends a document that hangs at the deadline, for good, and goes on with a fresh child', async () => {
    const pool = trial.open({ size: 1, timeoutMs: 1_000 });
    const { result } = await runUntilSecondInput(trial, pool, hangingPdf());
    const [hanging] = await trial.processes();
    expect(await result).toEqual({
      outcome: 'failed',
      failure: {
        code: 'time_limit',
        message: 'The work took longer than 1 s (JOB_TIMEOUT).',
        input: null,
        limit: { name: 'JOB_TIMEOUT', allowed: 1000, actual: null },
      },
    });
    expect(await isRunning(hanging ?? 0)).toBe(false);
    expect((await pool.run(await trial.merge([await samplePdf([100])]))).outcome).toBe('completed');
  }, 20_000);

  it('calls a heap that is full a memory limit', async () => {
    const pool = trial.open({ memoryBytes: 160 * mebibyte, timeoutMs: 60_000 });
    expect(await pool.run(await trial.merge([heapFillingPdf()]))).toMatchObject({
      outcome: 'failed',
      failure: { code: 'memory_limit', input: null, message: expect.stringContaining('160 MiB') },
    });
  }, 60_000);

  it('calls buffers that no heap limit counts a memory limit', async () => {
    const pool = trial.open({ memoryBytes: 200 * mebibyte });
    expect(await pool.run(await trial.merge([inflatingPdf(400 * mebibyte)]))).toMatchObject({
      outcome: 'failed',
      failure: { code: 'memory_limit' },
    });
  }, 60_000);

  it('calls the end of a child that breaks of itself a memory limit, because it was refused memory', async () => {
    const breaking = join(trial.directory, 'breaking.mjs');
    await writeFile(
      breaking,
      `process.on('message', ({ options }) => {
         const held = Buffer.alloc(options.bytes, 1);
         setTimeout(() => process.kill(process.pid, 'SIGSEGV'), 500, held);
       });
       process.send({ type: 'ready' });`,
    );
    const pool = trial.open({ size: 1, childEntry: breaking, memoryBytes: 200 * mebibyte });
    const task = await trial.merge([]);
    expect(await pool.run({ ...task, options: { bytes: 130 * mebibyte } })).toMatchObject({
      failure: { code: 'memory_limit' },
    });
  }, 20_000);

  it('gives a child nothing of its environment, and nothing that it has open', async () => {
    const held = await openFile(process.execPath);
    try {
      await trial.open().warm();
      const [child] = await trial.processes();
      const environment = (await readFile(`/proc/${child}/environ`, 'utf8'))
        .split('\0')
        .filter((entry) => entry !== '');
      expect(environment.map((entry) => entry.split('=')[0]).sort()).toEqual([
        'NODE_CHANNEL_FD',
        'NODE_CHANNEL_SERIALIZATION_MODE',
        'TMPDIR',
      ]);
      expect(environment).toContain('TMPDIR=.');
      const descriptors = await readdir(`/proc/${child}/fd`);
      const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/${child}/fd/${name}`)));
      expect(targets.filter((target) => !/^(\/dev\/null|(socket|pipe|anon_inode):.*)$/.test(target))).toEqual([]);
    } finally {
      await held.close();
    }
  });

  it('gives each task a directory of its own for what it needs besides its outputs, and removes it', async () => {
    const pool = trial.open({ size: 1, timeoutMs: 1_500 });
    await pool.run(await trial.merge([await samplePdf([100])]));
    expect(await temporaryDirectories()).toEqual([]);
    const { result } = await runUntilSecondInput(trial, pool, hangingPdf());
    const [child] = await trial.processes();
    const [own] = await temporaryDirectories();
    expect(await readlink(`/proc/${child}/cwd`)).toBe(own);
    expect(await result).toMatchObject({ failure: { code: 'time_limit' } });
    expect(await temporaryDirectories()).toEqual([]);
  }, 20_000);

  it('refuses outputs that are together too large, whoever counts', async () => {
    const pool = trial.open({ maxOutputBytes: 1_000 });
    const tooLarge = { code: 'limit_exceeded', input: null, limit: { name: 'MAX_OUTPUT_SIZE', allowed: 1_000 } };
    const task = await trial.merge([await samplePdf(widthsFrom(100, 20))]);
    expect(await pool.run(task)).toMatchObject({ outcome: 'failed', failure: tooLarge });
    expect(await readdir(task.outputDirectory)).toEqual(['in-0']);
  });

  it('keeps a child whose long work was put behind nobody', async () => {
    const spinning = join(trial.directory, 'spinning.mjs');
    await writeFile(
      spinning,
      `process.on('message', () => {
         while (process.cpuUsage().user < 2e6);
         process.send({ type: 'completed', outputs: [], warnings: [] });
       });
       process.send({ type: 'ready' });`,
    );
    const pool = trial.open({ size: 1, childEntry: spinning, timeoutMs: 120_000 });
    await pool.warm();
    const children = await trial.processes();
    expect((await pool.run(await trial.merge([]))).outcome).toBe('completed');
    expect(await trial.processes()).toEqual(children);
  }, 120_000);

  it('puts long work behind other work when there is more of it than processors, and not before', async () => {
    const tasks = Array.from({ length: availableParallelism() + 1 }, async () => {
      const task = await trial.merge([await samplePdf([100])]);
      return { ...task, inputs: task.inputs.map((input) => ({ ...input, name: 'spin' })) };
    });
    const [first, ...others] = await Promise.all(tasks);
    if (first === undefined) throw new Error('there is no task');
    const pool = trial.open({
      size: tasks.length,
      childEntry: resolve('dist/test/bench/documents/bomb-child.js'),
      timeoutMs: 120_000,
    });
    const stop = new AbortController();
    const running = [pool.run(first, stop.signal)];
    try {
      await eventually(async () => (await trial.processes()).length === 1);
      const [child = 0] = await trial.processes();
      await eventually(() => (processorMs(child) ?? 0) > 2_000, { withinMs: 60_000 });
      expect(getPriority(child)).toBe(0);
      running.push(...others.map((task) => pool.run(task, stop.signal)));
      await eventually(() => getPriority(child) > 0, { withinMs: 60_000 });
    } finally {
      stop.abort();
      await Promise.all(running);
    }
  }, 120_000);
});
