import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually.js';
import { corruptPdf, hangingPdf, pageWidths, samplePdf, widthsFrom } from '../../../../test/support/pdf-samples.js';
import { PoolTrial, runUntilSecondInput } from '../../../../test/support/pool-trial.js';
import { isRunning } from '../../../../test/support/processes.js';
import type { DocumentTask } from './document-task.js';

let trial: PoolTrial;

beforeEach(async () => {
  trial = await PoolTrial.begin();
});

afterEach(() => trial.end());

describe('the pool of document processes', () => {
  it('runs a task in a child and returns its outputs in the directory of the task', async () => {
    const progress: number[][] = [];
    const task = await trial.merge([await samplePdf([100, 200]), await samplePdf([300])], (...report) => {
      progress.push(report);
    });
    const result = await trial.open().run(task);
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
    const merge = await trial.merge([await samplePdf(widthsFrom(1, 300))]);
    const task: DocumentTask = {
      ...merge,
      operation: 'split',
      onProgress: (done) => void reports.push(done),
    };
    expect((await trial.open().run(task)).outcome).toBe('completed');
    expect(reports.length).toBeLessThanOrEqual(101);
    expect(reports.at(-1)).toBe(300);
  }, 20_000);

  it('passes on a failure of the document and uses the child again', async () => {
    const pool = trial.open({ size: 1 });
    await pool.warm();
    const before = await trial.processes();
    const result = await pool.run(await trial.merge([await samplePdf([100]), corruptPdf()]));
    expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'corrupt_document', input: 1 } });
    expect((await pool.run(await trial.merge([await samplePdf([100])]))).outcome).toBe('completed');
    expect(await trial.processes()).toEqual(before);
  });

  it('calls a file that it cannot read a crash, which may be tried again', async () => {
    const task = await trial.merge([]);
    const inputs = [{ path: join(trial.directory, 'missing'), name: 'a.pdf', password: null, pages: null }];
    expect(await trial.open().run({ ...task, inputs })).toEqual({
      outcome: 'broken',
      reason: expect.stringContaining('ENOENT'),
    });
  });

  it('calls options that the operation does not take a crash: admission has checked them', async () => {
    const task = await trial.merge([await samplePdf([100])]);
    expect(await trial.open().run({ ...task, options: { by: 'name' } })).toMatchObject({ outcome: 'broken' });
  });

  it('ends the child of an aborted task before it says so', async () => {
    const pool = trial.open();
    const abort = new AbortController();
    const { result } = await runUntilSecondInput(trial, pool, hangingPdf(), abort.signal);
    const [hanging] = await trial.processes();
    abort.abort();
    expect(await result).toEqual({ outcome: 'stopped' });
    expect(await isRunning(hanging ?? 0)).toBe(false);
  });

  it('does not start a task whose signal is aborted, neither at once nor after waiting for a slot', async () => {
    const pool = trial.open({ size: 1 });
    const task = await trial.merge([await samplePdf([100])]);
    expect(await pool.run(task, AbortSignal.abort())).toEqual({ outcome: 'stopped' });
    const stopFirst = new AbortController();
    const { result: first } = await runUntilSecondInput(trial, pool, hangingPdf(), stopFirst.signal);
    const stopSecond = new AbortController();
    const second = pool.run(task, stopSecond.signal);
    stopSecond.abort();
    expect(await second).toEqual({ outcome: 'stopped' });
    stopFirst.abort();
    await first;
    expect((await pool.run(task)).outcome).toBe('completed');
  });

  it('calls a child that is killed from outside a crash, and starts a fresh one', async () => {
    const pool = trial.open({ size: 1 });
    const { result } = await runUntilSecondInput(trial, pool, hangingPdf());
    const [victim = 0] = await trial.processes();
    process.kill(victim, 'SIGKILL');
    expect(await result).toEqual({ outcome: 'broken', reason: 'The child process ended with SIGKILL.' });
    await eventually(async () => (await trial.processes()).length === 1);
    expect(await trial.processes()).not.toContain(victim);
  });

  it('says that a child cannot be started, and does not try for ever', async () => {
    const pool = trial.open({ childEntry: join(trial.directory, 'no-such-file.js') });
    expect(await pool.run(await trial.merge([]))).toEqual({
      outcome: 'broken',
      reason: 'The child process ended with exit code 1.',
    });
    await expect(pool.warm()).rejects.toThrow(/could be started/);
    expect(await trial.processes()).toEqual([]);
    expect(JSON.stringify(trial.logged)).toContain('Cannot find module');
  });

  it('runs as many tasks at once as it has slots, and each of many in its turn', async () => {
    const pool = trial.open({ size: 2 });
    const tasks = await Promise.all(widthsFrom(100, 9).map(async (width) => trial.merge([await samplePdf([width])])));
    const results = await Promise.all(tasks.map((task) => pool.run(task)));
    expect(results.map(({ outcome }) => outcome)).toEqual(tasks.map(() => 'completed'));
    expect((await trial.processes()).length).toBe(2);
    for (const [index, { outputDirectory }] of tasks.entries()) {
      expect(await pageWidths(await readFile(join(outputDirectory, '0.pdf')))).toEqual([100 + index]);
    }
  });

  it('replaces a child after its number of tasks', async () => {
    const pool = trial.open({ size: 1, tasksPerChild: 2 });
    const children: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      await pool.warm();
      await eventually(async () => (await trial.processes()).length === 1);
      children.push(...(await trial.processes()));
      expect((await pool.run(await trial.merge([await samplePdf([100])]))).outcome).toBe('completed');
    }
    expect(children[1]).toBe(children[0]);
    expect(children[2]).not.toBe(children[0]);
    expect(children[3]).toBe(children[2]);
  }, 20_000);

  it('keeps one warm child when there is nothing to do', async () => {
    const pool = trial.open({ size: 3, idleMs: 50 });
    await Promise.all(widthsFrom(100, 3).map(async (width) => pool.run(await trial.merge([await samplePdf([width])]))));
    await eventually(async () => (await trial.processes()).length === 1);
    await pool.warm();
    expect((await trial.processes()).length).toBe(1);
  });

  it('ends every task and every child when it is closed', async () => {
    const pool = trial.open({ size: 1 });
    const { result } = await runUntilSecondInput(trial, pool, hangingPdf());
    const waiting = pool.run(await trial.merge([await samplePdf([100])]));
    await pool.close();
    expect([await result, await waiting]).toEqual([{ outcome: 'stopped' }, { outcome: 'stopped' }]);
    expect(await pool.run(await trial.merge([]))).toEqual({ outcome: 'stopped' });
    expect(await trial.processes()).toEqual([]);
  });
});
