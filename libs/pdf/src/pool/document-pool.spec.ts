import { mkdtemp, open as openFile, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, getPriority, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '../../../../test/support/eventually.js';
import { mergeTask } from '../../../../test/support/merge-task.js';
import {
  corruptPdf,
  hangingPdf,
  heapFillingPdf,
  inflatingPdf,
  pageWidths,
  samplePdf,
  widthsFrom,
} from '../../../../test/support/pdf-samples.js';
import { childrenOf, isRunning } from '../../../../test/support/processes.js';
import type { DocumentPoolOptions } from './document-pool.js';
import { DocumentPool } from './document-pool.js';
import type { DocumentTask } from './document-task.js';
import { processorMs } from './proc/process-use.js';

const mebibyte = 2 ** 20;
const childEntry = resolve('dist/libs/pdf/src/child/main.js');

let directory: string;
let pool: DocumentPool;
let logged: Array<{ fields: object; message: string }>;
let others: readonly number[];

/** The children of this process but those that it had before the test. */
async function documentProcesses(): Promise<number[]> {
  return (await childrenOf(process.pid)).filter((pid) => !others.includes(pid));
}

beforeEach(async () => {
  others = await childrenOf(process.pid);
  directory = await mkdtemp(join(tmpdir(), 'document-pool-'));
  logged = [];
});

afterEach(async () => {
  await pool.close();
  await rm(directory, { recursive: true, force: true });
});

function open(options: Partial<DocumentPoolOptions> = {}): DocumentPool {
  const note = (fields: object, message: string): void => void logged.push({ fields, message });
  pool = new DocumentPool({
    size: 2,
    timeoutMs: 20_000,
    memoryBytes: 512 * mebibyte,
    maxPages: 1000,
    maxOutputs: 1000,
    maxOutputBytes: 2 ** 30,
    temporaryRoot: directory,
    log: { info: note, warn: note },
    childEntry,
    ...options,
  });
  return pool;
}

function mergeOf(contents: Uint8Array[], onProgress?: DocumentTask['onProgress']): Promise<DocumentTask> {
  return mergeTask(directory, contents, onProgress);
}

/** The temporary directories of tasks. */
async function temporaryDirectories(): Promise<string[]> {
  const owners = (await readdir(directory)).filter((name) => name.startsWith('pdfonce-'));
  const tasks = await Promise.all(
    owners.map(async (owner) => (await readdir(join(directory, owner))).map((name) => join(directory, owner, name))),
  );
  return tasks.flat();
}

/** Resolves when the first input is done, so that the child is now at the second. */
async function runUntilSecondInput(
  second: Uint8Array,
  signal?: AbortSignal,
): Promise<{ result: ReturnType<DocumentPool['run']> }> {
  const first = await samplePdf([100]);
  let reached: () => void = () => undefined;
  const atSecond = new Promise<void>((resolvePromise) => (reached = resolvePromise));
  const result = pool.run(await mergeOf([first, second], () => reached()), signal);
  await Promise.race([atSecond, result]);
  return { result };
}

describe('the pool of document processes', () => {
  it('runs a task in a child and returns its outputs in the directory of the task', async () => {
    const progress: number[][] = [];
    const task = await mergeOf([await samplePdf([100, 200]), await samplePdf([300])], (...report) => {
      progress.push(report);
    });
    const result = await open().run(task);
    const path = join(task.outputDirectory, '0.pdf');
    expect(result).toEqual({
      outcome: 'completed',
      outputs: [{ path, name: 'merged.pdf', mediaType: 'application/pdf', pages: 3 }],
      warnings: [],
    });
    expect(await pageWidths(await readFile(path))).toEqual([100, 200, 300]);
    expect(progress).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it('reports at most one progress for each percent', async () => {
    const reports: number[] = [];
    const merge = await mergeOf([await samplePdf(widthsFrom(1, 300))]);
    const task: DocumentTask = {
      ...merge,
      operation: 'split',
      onProgress: (done) => void reports.push(done),
    };
    expect((await open().run(task)).outcome).toBe('completed');
    expect(reports.length).toBeLessThanOrEqual(101);
    expect(reports.at(-1)).toBe(300);
  }, 20_000);

  it('passes on a failure of the document and uses the child again', async () => {
    open({ size: 1 });
    await pool.warm();
    const before = await documentProcesses();
    const result = await pool.run(await mergeOf([await samplePdf([100]), corruptPdf()]));
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'corrupt_document', input: 1 } });
    expect((await pool.run(await mergeOf([await samplePdf([100])]))).outcome).toBe('completed');
    expect(await documentProcesses()).toEqual(before);
  });

  it('calls a file that it cannot read a crash, which may be tried again', async () => {
    const task = await mergeOf([]);
    const inputs = [{ path: join(directory, 'missing'), name: 'a.pdf', password: null, pages: null }];
    expect(await open().run({ ...task, inputs })).toEqual({
      outcome: 'broken',
      reason: expect.stringContaining('ENOENT'),
    });
  });

  it('calls options that the operation does not take a crash: admission has checked them', async () => {
    const task = await mergeOf([await samplePdf([100])]);
    expect(await open().run({ ...task, options: { by: 'name' } })).toMatchObject({ outcome: 'broken' });
  });

  it('ends a document that hangs at the deadline, for good, and goes on with a fresh child', async () => {
    open({ size: 1, timeoutMs: 1_000 });
    const { result } = await runUntilSecondInput(hangingPdf());
    const [hanging] = await documentProcesses();
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
    expect((await pool.run(await mergeOf([await samplePdf([100])]))).outcome).toBe('completed');
  }, 20_000);

  it('calls a heap that is full a memory limit', async () => {
    open({ memoryBytes: 160 * mebibyte, timeoutMs: 60_000 });
    expect(await pool.run(await mergeOf([heapFillingPdf()]))).toMatchObject({
      outcome: 'failed',
      failure: { code: 'memory_limit', input: null, message: expect.stringContaining('160 MiB') },
    });
  }, 60_000);

  it('calls buffers that no heap limit counts a memory limit', async () => {
    open({ memoryBytes: 200 * mebibyte });
    expect(await pool.run(await mergeOf([inflatingPdf(400 * mebibyte)]))).toMatchObject({
      outcome: 'failed',
      failure: { code: 'memory_limit' },
    });
  }, 60_000);

  it('calls the end of a child that breaks of itself a memory limit, because it was refused memory', async () => {
    const breaking = join(directory, 'breaking.mjs');
    await writeFile(
      breaking,
      `process.on('message', ({ options }) => {
         const held = Buffer.alloc(options.bytes, 1);
         setTimeout(() => process.kill(process.pid, 'SIGSEGV'), 500, held);
       });
       process.send({ type: 'ready' });`,
    );
    open({ size: 1, childEntry: breaking, memoryBytes: 200 * mebibyte });
    const task = await mergeOf([]);
    expect(await pool.run({ ...task, options: { bytes: 130 * mebibyte } })).toMatchObject({
      failure: { code: 'memory_limit' },
    });
  }, 20_000);

  it('ends the child of an aborted task before it says so', async () => {
    open();
    const abort = new AbortController();
    const { result } = await runUntilSecondInput(hangingPdf(), abort.signal);
    const [hanging] = await documentProcesses();
    abort.abort();
    expect(await result).toEqual({ outcome: 'stopped' });
    expect(await isRunning(hanging ?? 0)).toBe(false);
  });

  it('does not start a task whose signal is aborted, neither at once nor after waiting for a slot', async () => {
    open({ size: 1 });
    const task = await mergeOf([await samplePdf([100])]);
    expect(await pool.run(task, AbortSignal.abort())).toEqual({ outcome: 'stopped' });
    const stopFirst = new AbortController();
    const { result: first } = await runUntilSecondInput(hangingPdf(), stopFirst.signal);
    const stopSecond = new AbortController();
    const second = pool.run(task, stopSecond.signal);
    stopSecond.abort();
    expect(await second).toEqual({ outcome: 'stopped' });
    stopFirst.abort();
    await first;
    expect((await pool.run(task)).outcome).toBe('completed');
  });

  it('calls a child that is killed from outside a crash, and starts a fresh one', async () => {
    open({ size: 1 });
    const { result } = await runUntilSecondInput(hangingPdf());
    const [victim = 0] = await documentProcesses();
    process.kill(victim, 'SIGKILL');
    expect(await result).toEqual({ outcome: 'broken', reason: 'The child process ended with SIGKILL.' });
    await eventually(async () => (await documentProcesses()).length === 1);
    expect(await documentProcesses()).not.toContain(victim);
  });

  it('says that a child cannot be started, and does not try for ever', async () => {
    open({ childEntry: join(directory, 'no-such-file.js') });
    expect(await pool.run(await mergeOf([]))).toEqual({
      outcome: 'broken',
      reason: 'The child process ended with exit code 1.',
    });
    await expect(pool.warm()).rejects.toThrow(/could be started/);
    expect(await documentProcesses()).toEqual([]);
    expect(JSON.stringify(logged)).toContain('Cannot find module');
  });

  it('runs as many tasks at once as it has slots, and each of many in its turn', async () => {
    open({ size: 2 });
    const tasks = await Promise.all(widthsFrom(100, 9).map(async (width) => mergeOf([await samplePdf([width])])));
    const results = await Promise.all(tasks.map((task) => pool.run(task)));
    expect(results.map(({ outcome }) => outcome)).toEqual(tasks.map(() => 'completed'));
    expect((await documentProcesses()).length).toBe(2);
    for (const [index, { outputDirectory }] of tasks.entries()) {
      expect(await pageWidths(await readFile(join(outputDirectory, '0.pdf')))).toEqual([100 + index]);
    }
  });

  it('replaces a child after its number of tasks', async () => {
    open({ size: 1, tasksPerChild: 2 });
    const children: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      await pool.warm();
      await eventually(async () => (await documentProcesses()).length === 1);
      children.push(...(await documentProcesses()));
      expect((await pool.run(await mergeOf([await samplePdf([100])]))).outcome).toBe('completed');
    }
    expect(children[1]).toBe(children[0]);
    expect(children[2]).not.toBe(children[0]);
    expect(children[3]).toBe(children[2]);
  }, 20_000);

  it('keeps one warm child when there is nothing to do', async () => {
    open({ size: 3, idleMs: 50 });
    await Promise.all(widthsFrom(100, 3).map(async (width) => pool.run(await mergeOf([await samplePdf([width])]))));
    await eventually(async () => (await documentProcesses()).length === 1);
    await pool.warm();
    expect((await documentProcesses()).length).toBe(1);
  });

  it('ends every task and every child when it is closed', async () => {
    open({ size: 1 });
    const { result } = await runUntilSecondInput(hangingPdf());
    const waiting = pool.run(await mergeOf([await samplePdf([100])]));
    await pool.close();
    expect([await result, await waiting]).toEqual([{ outcome: 'stopped' }, { outcome: 'stopped' }]);
    expect(await pool.run(await mergeOf([]))).toEqual({ outcome: 'stopped' });
    expect(await documentProcesses()).toEqual([]);
  });

  it('gives a child nothing of its environment, and nothing that it has open', async () => {
    const held = await openFile(process.execPath);
    try {
      await open().warm();
      const [child] = await documentProcesses();
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
    open({ size: 1, timeoutMs: 1_500 });
    await pool.run(await mergeOf([await samplePdf([100])]));
    expect(await temporaryDirectories()).toEqual([]);
    const { result } = await runUntilSecondInput(hangingPdf());
    const [child] = await documentProcesses();
    const [own] = await temporaryDirectories();
    expect(await readlink(`/proc/${child}/cwd`)).toBe(own);
    expect(await result).toMatchObject({ failure: { code: 'time_limit' } });
    expect(await temporaryDirectories()).toEqual([]);
  }, 20_000);

  it('refuses outputs that are together too large, whoever counts', async () => {
    open({ maxOutputBytes: 1_000 });
    const tooLarge = { code: 'limit_exceeded', input: null, limit: { name: 'MAX_OUTPUT_SIZE', allowed: 1_000 } };
    const task = await mergeOf([await samplePdf(widthsFrom(100, 20))]);
    expect(await pool.run(task)).toMatchObject({ outcome: 'failed', failure: tooLarge });
    expect(await readdir(task.outputDirectory)).toEqual(['in-0']);
  });

  it('keeps a child whose long work was put behind nobody', async () => {
    const spinning = join(directory, 'spinning.mjs');
    await writeFile(
      spinning,
      `process.on('message', () => {
         while (process.cpuUsage().user < 2e6);
         process.send({ type: 'completed', outputs: [], warnings: [] });
       });
       process.send({ type: 'ready' });`,
    );
    open({ size: 1, childEntry: spinning, timeoutMs: 120_000 });
    await pool.warm();
    const children = await documentProcesses();
    expect((await pool.run(await mergeOf([]))).outcome).toBe('completed');
    expect(await documentProcesses()).toEqual(children);
  }, 120_000);

  it('puts long work behind other work when there is more of it than processors, and not before', async () => {
    const tasks = Array.from({ length: availableParallelism() + 1 }, async () => {
      const task = await mergeOf([await samplePdf([100])]);
      return { ...task, inputs: task.inputs.map((input) => ({ ...input, name: 'spin' })) };
    });
    const [first, ...others] = await Promise.all(tasks);
    if (first === undefined) throw new Error('there is no task');
    open({ size: tasks.length, childEntry: resolve('dist/test/bench/documents/bomb-child.js'), timeoutMs: 120_000 });
    const stop = new AbortController();
    const running = [pool.run(first, stop.signal)];
    try {
      await eventually(async () => (await documentProcesses()).length === 1);
      const [child = 0] = await documentProcesses();
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
