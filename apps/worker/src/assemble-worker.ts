import { version } from '#libs/contract';
import { AddressGuard } from '#libs/domain';
import { GuardedAgent, systemResolver } from '#libs/egress';
import { DocumentPool } from '#libs/pdf';
import { ClaimStore, EndJob, EventStore, GarbageStore, ObjectStore, PruneStore } from '#libs/persistence';
import { CollectGarbage } from './collect-garbage/collect-garbage.js';
import { FetchUrls } from './fetch-urls/fetch-urls.js';
import { Prune } from './prune/prune.js';
import { RescueJobs } from './rescue-jobs/rescue-jobs.js';
import { AttemptJob } from './run-job/attempt-job.js';
import { ClaimJobs } from './run-job/claim-jobs.js';
import { EndAttempt } from './run-job/end-attempt.js';
import { RenewLeases } from './run-job/renew-leases.js';
import { RunJob } from './run-job/run-job.js';
import { RunningJobs } from './run-job/running-jobs.js';
import { SettleJob } from './run-job/settle-job.js';
import { StoreObject } from './run-job/store-object.js';
import { StoreOutputs } from './run-job/store-outputs.js';
import type { WorkerParts } from './worker-parts.js';

/** What a worker does, each by the one that does it. */
export interface AssembledWorker {
  readonly pool: DocumentPool;
  /** What inputs are fetched with; closed when the worker has ended. */
  readonly agent: GuardedAgent;
  readonly running: RunningJobs;
  readonly claimJobs: ClaimJobs;
  readonly renewLeases: RenewLeases;
  readonly rescueJobs: RescueJobs;
  readonly collectGarbage: CollectGarbage;
  readonly prune: Prune;
}

/** Puts a worker together. @param giveUp aborts when the process cannot wait for the database any longer */
export function assembleWorker(parts: WorkerParts, giveUp: AbortSignal): AssembledWorker {
  const { config, database, blobs, keyring, log, temporaryRoot } = parts;
  const leaseMs = config.JOB_LEASE;
  const maxAttempts = config.JOB_MAX_ATTEMPTS;
  const store = new ClaimStore(database);
  const pool = openPool(parts);
  const running = new RunningJobs(config.WORKER_CONCURRENCY);
  const settleJob = openSettleJob(parts, giveUp);
  const objects = new StoreObject(database, new ObjectStore(), blobs, log);
  const agent = new GuardedAgent({ guard: new AddressGuard(config.INPUT_ALLOW), resolve: systemResolver() });
  const fetchUrls = openFetchUrls(parts, { agent, objects, claims: store });
  const storeOutputs = new StoreOutputs(objects);
  const attemptJob = new AttemptJob({ pool, blobs, keyring, fetchUrls, storeOutputs, temporaryRoot });
  const endAttempt = new EndAttempt({ store, settleJob, maxAttempts, giveUp, log });
  const runJob = new RunJob(attemptJob, endAttempt, log);
  return {
    pool,
    agent,
    running,
    claimJobs: new ClaimJobs({ store, running, runJob, leaseMs, pollMs: config.POLL_INTERVAL, log }),
    renewLeases: new RenewLeases(store, running, leaseMs, log),
    rescueJobs: new RescueJobs(store, settleJob, { maxAttempts, leaseMs }, log),
    collectGarbage: new CollectGarbage(new GarbageStore(database), blobs, 2 * config.UPLOAD_TIMEOUT, log),
    prune: new Prune(new PruneStore(database), config.EVENT_TTL, log),
  };
}

const idleMs = 30_000;

function openFetchUrls(
  { config }: WorkerParts,
  used: { readonly agent: GuardedAgent; readonly objects: StoreObject; readonly claims: ClaimStore },
): FetchUrls {
  return new FetchUrls({
    ...used,
    userAgent: `pdfonce/${version}`,
    timeoutMs: config.INPUT_TIMEOUT,
    idleMs: Math.min(idleMs, config.INPUT_TIMEOUT),
    maxFileBytes: config.MAX_FILE_SIZE,
    maxTotalBytes: config.MAX_REQUEST_SIZE,
  });
}

function openPool({ config, temporaryRoot, log }: WorkerParts): DocumentPool {
  return new DocumentPool({
    size: config.WORKER_CONCURRENCY,
    timeoutMs: config.JOB_TIMEOUT,
    memoryBytes: config.JOB_MEMORY,
    maxPages: config.MAX_PAGES,
    maxOutputs: config.MAX_OUTPUTS,
    maxOutputBytes: config.MAX_OUTPUT_SIZE,
    temporaryRoot,
    log,
  });
}

function openSettleJob(parts: WorkerParts, giveUp: AbortSignal): SettleJob {
  const { config, database, links, announcer, keyring, log } = parts;
  const retention = {
    jobMs: config.JOB_TTL,
    artifactMs: config.ARTIFACT_TTL,
    keyMs: config.IDEMPOTENCY_TTL,
  };
  const events = new EventStore(parts.eventRoute);
  const endJob = new EndJob({ events, links, retention });
  return new SettleJob({ database, endJob, announcer, linkKeyId: keyring.currentId, giveUp, log });
}
