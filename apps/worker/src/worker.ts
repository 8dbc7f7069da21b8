import { retryScheduleMs } from '#libs/domain';
import { removeOrphanedDirectories, removeProcessDirectory } from '#libs/pdf';
import type { Loop } from '#libs/pace';
import { verifyStorageWhenReachable } from '#libs/persistence';
import { graceOf, reportedLoop } from '#libs/process';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { type AssembledWorker, assembleWorker } from './assemble-worker.js';
import type { ClaimJobs } from './run-job/claim-jobs.js';
import type { WorkerParts } from './worker-parts.js';

const longestRenewalMs = 1_000;
const rescueEveryMs = 1_000;
const leastHousekeepingMs = 1_000;
const mostHousekeepingMs = 60_000;

/** A worker from its start to its end: it claims and runs jobs, rescues those of dead workers, and removes what is past its time. */
export class Worker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #giveUp = new AbortController();
  readonly #stopping = new AbortController();
  readonly #assembled: AssembledWorker;
  readonly #renewals: Loop;
  readonly #loops: readonly Loop[];
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #isReady = false;

  constructor(private readonly parts: WorkerParts) {
    const assembled = assembleWorker(parts, this.#giveUp.signal);
    const { claimJobs, rescueJobs, renewLeases, collectGarbage, prune } = assembled;
    const housekeepingMs = housekeepingEveryMs(parts);
    this.#assembled = assembled;
    this.#renewals = this.#loop('renew', renewalEveryMs(parts), () => renewLeases.renew());
    this.#loops = [
      this.#loop('poll', parts.config.POLL_INTERVAL, () => claimJobs.claim()),
      this.#loop('rescue', rescueEveryMs, () => rescueJobs.rescue()),
      this.#loop(
        'prune',
        housekeepingMs,
        async (signal) => void (await prune.prune(signal)),
        Math.random() * housekeepingMs,
      ),
      this.#loop('collect', housekeepingMs, (signal) => collectGarbage.collect(signal), Math.random() * housekeepingMs),
    ];
  }

  /** What the consumer of the jobs topic hands its commands to. */
  get claimJobs(): ClaimJobs {
    return this.#assembled.claimJobs;
  }

  /** Whether it claims jobs. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** What this system lacks to shut in the processes that work on documents. */
  get missing(): readonly string[] {
    return this.#assembled.pool.missing;
  }

  /** Starts in the background, as soon as the database answers. */
  onApplicationBootstrap(): void {
    this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  start(): void {
    this.#started ??= this.#start();
  }

  /**
   * Claims nothing more and lets running work go on, as long as SHUTDOWN_GRACE allows; what is not done by then is handed back without
   * costing an attempt. Nothing of it runs any more when this resolves.
   */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #start(): Promise<void> {
    const { blobs, database, log, temporaryRoot, onFatal } = this.parts;
    this.#warnOfShortArtifacts();
    try {
      await verifyStorageWhenReachable(database, blobs, { signal: this.#stopping.signal, log });
      const orphans = await removeOrphanedDirectories(temporaryRoot);
      if (orphans.length > 0) log.info({ directories: orphans }, 'directories.removed');
      await this.#assembled.pool
        .warm()
        .catch((error: unknown) => log.warn({ err: error }, 'documents.child-not-started'));
    } catch (error) {
      onFatal(error);
      return;
    }
    if (this.#stopping.signal.aborted) return;
    this.#isReady = true;
    this.#assembled.claimJobs.open();
    for (const loop of [this.#renewals, ...this.#loops]) loop.start();
    log.info('process.ready');
  }

  /** A webhook that is retried to the end must still find what it tells of. */
  #warnOfShortArtifacts(): void {
    const { config, log } = this.parts;
    const artifactTtlMs = config.ARTIFACT_TTL;
    const retriesMs = retryScheduleMs.reduce((sum, delayMs) => sum + delayMs, 0);
    if (artifactTtlMs <= retriesMs) log.warn({ artifactTtlMs, retriesMs }, 'artifacts.outlived');
  }

  async #stop(): Promise<void> {
    const { config, temporaryRoot, log } = this.parts;
    const { running, claimJobs, pool, agent } = this.#assembled;
    this.#isReady = false;
    this.#stopping.abort();
    const loopsEnd = Promise.all(this.#loops.map((loop) => loop.stop()));
    await claimJobs.close();
    const { drainMs, handBackMs } = graceOf(config.SHUTDOWN_GRACE);
    if (!(await running.emptyWithin(drainMs))) {
      for (const job of running.all) job.stop('shutdown');
      const isEmpty = await running.emptyWithin(handBackMs);
      if (!isEmpty) log.warn({ jobs: running.all.length }, 'jobs.left-to-rescue');
    }
    this.#giveUp.abort();
    await Promise.all([pool.close(), agent.destroy()]);
    await Promise.all([loopsEnd, this.#renewals.stop()]);
    await this.#started;
    await removeProcessDirectory(temporaryRoot);
  }

  #loop(name: string, everyMs: number, step: (signal: AbortSignal) => Promise<void>, firstAfterMs = 0): Loop {
    return reportedLoop(this.parts.log, name, { everyMs, firstAfterMs, step });
  }
}

/** At least three renewals fit into a lease. */
function renewalEveryMs({ config }: WorkerParts): number {
  return Math.min(longestRenewalMs, config.JOB_LEASE / 4);
}

/** Things go at most a tenth of their time late, and nobody looks more often than needed. */
function housekeepingEveryMs({ config }: WorkerParts): number {
  const { IDEMPOTENCY_TTL, ARTIFACT_TTL, JOB_TTL, EVENT_TTL, FILE_TTL, UPLOAD_TIMEOUT } = config;
  const shortest = Math.min(IDEMPOTENCY_TTL, ARTIFACT_TTL, JOB_TTL, EVENT_TTL, FILE_TTL, UPLOAD_TIMEOUT);
  return Math.min(mostHousekeepingMs, Math.max(leastHousekeepingMs, shortest / 10));
}
