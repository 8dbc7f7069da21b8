import { setTimeout as pause } from 'node:timers/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf } from '../../support/processes.js';
import { peakBytesOf } from '../process-use.js';
import { measureMemory } from '../measure-memory.js';
import { measureRounds } from '../rounds.js';
import { Sample } from '../sample.js';
import { BenchPool } from './bench-pool.js';
import { memoryBombs } from './bombs.js';
import type { Line } from './line.js';

const hostileJobs = 4;
const rounds = 5;
const halfMs = 10_000;
const warmUpJobs = 10;
const startedJobs = 50;
const everyMs = 5;
const mebibyte = 2 ** 20;
const memoryLimits = [256_000_000, 1_000_000_000] as const;
const plenty = { memoryBytes: 512 * mebibyte, timeoutMs: 600_000 } as const;
const targets = { slowdown: 2, excess: 1.35, workerBytes: 300_000_000, startMs: 15 } as const;

/** Measures what hostile documents cost others, and the machine. */
export async function measureContainment(): Promise<readonly Line[]> {
  return [await measureSlowdown(), ...(await measureBombs()), await measureWorker(), await measureStart()];
}

/** The p95 of small jobs beside hostile ones, over that of the same jobs alone: the median of the rounds. */
export async function measureSlowdown(): Promise<Line> {
  const measured = await BenchPool.with({ ...plenty, size: hostileJobs + 1 }, (pool) =>
    measureRounds(rounds, { alone: () => p95Of(pool), besideHostile: () => besideHostile(pool) }),
  );
  const ratios = measured.map(({ alone, besideHostile: beside }) => beside / alone);
  const { median } = new Sample(ratios);
  const all = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  const [alone, beside] = [measured.map((round) => round.alone), measured.map((round) => round.besideHostile)];
  const times = `${milliseconds(new Sample(alone).median)} alone, ${milliseconds(new Sample(beside).median)} beside`;
  return {
    title: `p95 of small jobs beside ${hostileJobs} hostile ones, over that without`,
    value: `${median.toFixed(2)} (${all}; ${times})`,
    target: `at most ${targets.slowdown}`,
    isMet: median <= targets.slowdown,
  };
}

/** From the moment at which the hostile jobs are at work. */
async function besideHostile(pool: BenchPool): Promise<number> {
  const stop = new AbortController();
  const hostile: Promise<unknown>[] = [];
  const begun = Array.from(
    { length: hostileJobs },
    () => new Promise<void>((onProgress) => hostile.push(pool.run('spin', { signal: stop.signal, onProgress }))),
  );
  try {
    await Promise.all(begun);
    return await p95Of(pool);
  } finally {
    stop.abort();
    await Promise.all(hostile);
  }
}

/** Of jobs one after the other. */
async function p95Of(pool: BenchPool): Promise<number> {
  for (let job = 0; job < warmUpJobs; job += 1) await pool.run('good');
  const times: number[] = [];
  for (const end = performance.now() + halfMs; performance.now() < end;) {
    const startedAt = performance.now();
    const { outcome } = await pool.run('good');
    if (outcome !== 'completed') throw new Error(`a good job ended as ${outcome}`);
    times.push(performance.now() - startedAt);
  }
  return new Sample(times).quantile(0.95);
}

/** The most memory that a process ever had, over its limit, whichever way it was filled. */
export async function measureBombs(): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (const memoryBytes of memoryLimits) {
    const ratios: (readonly [name: string, ratio: number])[] = [];
    for (const name of Object.keys(memoryBombs)) ratios.push([name, (await peakOf(name, memoryBytes)) / memoryBytes]);
    const most = Math.max(...ratios.map(([, ratio]) => ratio));
    lines.push({
      title: `most memory of a process at JOB_MEMORY=${memoryBytes / 1e6}MB, over that`,
      value: `${most.toFixed(2)} (${ratios.map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`).join(', ')})`,
      target: `at most ${targets.excess}`,
      isMet: most <= targets.excess,
    });
  }
  return lines;
}

async function peakOf(name: string, memoryBytes: number): Promise<number> {
  const others = await childrenOf(process.pid);
  return BenchPool.with({ size: 1, memoryBytes, timeoutMs: plenty.timeoutMs }, async (pool) => {
    const [child = 0] = (await childrenOf(process.pid)).filter((pid) => !others.includes(pid));
    let peakBytes = 0;
    let isRunning = true;
    const watched = (async () => {
      while (isRunning) {
        peakBytes = Math.max(peakBytes, await peakBytesOf(child).catch(() => 0));
        await pause(everyMs);
      }
    })();
    const result = await pool.run(name);
    isRunning = false;
    await watched;
    if (result.outcome !== 'failed' || result.failure.code !== 'memory_limit')
      throw new Error(`the bomb ${name} ended as ${JSON.stringify(result)}`);
    return peakBytes;
  });
}

/** A worker process apart from its children, while it runs jobs as fast as they come. */
export async function measureWorker(): Promise<Line> {
  const directory = await mkdtemp(join(tmpdir(), 'pdfonce-bench-'));
  try {
    const { processes } = await measureMemory({ directory, measuredMs: halfMs });
    const bytes = processes.find(({ name }) => name === 'worker')?.loadedBytes ?? NaN;
    return {
      title: 'most memory of a worker process under load, apart from its children',
      value: `${(bytes / 1e6).toFixed(0)} MB`,
      target: `at most ${targets.workerBytes / 1e6} MB`,
      isMet: bytes <= targets.workerBytes,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** From the call of the pool to the moment at which a process that waits has the task. */
export async function measureStart(): Promise<Line> {
  const times = await BenchPool.with({ ...plenty, size: 1 }, async (pool) => {
    for (let job = 0; job < warmUpJobs; job += 1) await pool.run('good');
    const measured: number[] = [];
    for (let job = 0; job < startedJobs; job += 1) {
      const startedAt = performance.now();
      let startMs: number | null = null;
      await pool.run('tell-start', { onProgress: () => (startMs ??= performance.now() - startedAt) });
      measured.push(startMs ?? NaN);
    }
    return new Sample(measured);
  });
  return {
    title: 'start of an operation in a process that waits',
    value: `${milliseconds(times.median)} median, ${milliseconds(times.quantile(0.95))} p95`,
    target: `under ${targets.startMs} ms`,
    isMet: times.median < targets.startMs,
  };
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}
