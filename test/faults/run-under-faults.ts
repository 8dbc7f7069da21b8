import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Role } from '../support/cluster.js';
import { type History, openHistory } from '../support/history.js';
import { kafkaAvailability, startKafkaBroker } from '../support/kafka-broker.js';
import { startTestPostgres } from '../support/postgres.js';
import type { SupervisedProcess } from '../support/supervisor.js';
import { anyOf, RetryingClient } from './client.js';
import { KillProcesses } from './kill-processes.js';
import { Ledger } from './ledger.js';
import { planRequest, sourceDocuments, type UploadedDocument } from './plan-requests.js';
import { SeededRandom } from './random.js';
import { readComplaints } from './read-complaints.js';
import { readOutcome } from './read-outcome.js';
import { readTopic, UnreliableEndpoint } from './receive-events.js';

/** What a scenario is asked to do. */
export interface FaultRun {
  readonly kills: number;
  readonly seed: string;
  readonly apis: number;
  readonly workers: number;
  readonly dispatchers: number;
  readonly directory: string;
  readonly historyPath: string;
  readonly say: (line: string) => void;
}

/** The webhook endpoints of a run. */
export const endpointNames = ['endpoint-1', 'endpoint-2'] as const;

const topicChannel = 'topic';

/** Leases that end soon, so that a run of minutes sees what takes hours otherwise; attempts enough for every kill. */
const env = {
  WORKER_CONCURRENCY: '3',
  JOB_LEASE: '3s',
  JOB_MAX_ATTEMPTS: '10',
  POLL_INTERVAL: '200ms',
  WEBHOOK_TIMEOUT: '4s',
  SHUTDOWN_GRACE: '5s',
};

const clients = 6;
const mostRunning = 60;
const mostRecent = 20;
const recentMs = 8_000;
/** Nothing may be seen for so long before a run is given up: a delivery whose sender died is taken again after its lease, the timeout and 15 s. */
const stuckAfterMs = 60_000;
/** A job that was killed five times waits for four minutes; in a run that is over, that time is skipped. */
const skipBackOff = `UPDATE jobs SET ready_at = now() WHERE state = 'queued' AND ready_at > now() + interval '1 second'`;
/** How long nothing must have happened: a second copy would be on its way at once. */
const silentForMs = 2_000;
const longestRunMs = 45 * 60_000;

/** Runs a cluster under load, kills its processes, waits until all is quiet, and writes down everything that was seen. */
export async function runUnderFaults(run: FaultRun): Promise<void> {
  const history = openHistory(run.historyPath);
  const random = new SeededRandom(run.seed);
  const ledger = new Ledger([topicChannel, ...endpointNames]);
  const sinks = { history, ledger };
  const closers: (() => Promise<void>)[] = [];
  try {
    const broker = await startKafkaBroker({ own: kafkaAvailability({ own: true }).available });
    closers.push(() => broker.stop());
    const postgres = await startTestPostgres({ isOwn: true });
    closers.push(() => postgres.stop());
    const { apis, workers, dispatchers, directory } = run;
    const { brokers } = broker;
    const logDirectory = join(directory, 'logs');
    const cluster = await Cluster.start({ apis, workers, dispatchers, brokers, logDirectory, env, postgres });
    closers.push(() => cluster.stop());
    const apiKey = await cluster.createKey('load');
    closers.push(await readTopic(brokers, topicChannel, sinks));
    const endpoints = await Promise.all(endpointNames.map((name) => UnreliableEndpoint.open(name, sinks, random)));
    closers.push(async () => void (await Promise.all(endpoints.map((endpoint) => endpoint.close()))));
    run.say('the cluster is up');
    await underLoad({ run, cluster, apiKey, history, ledger, random, endpoints });
    await readOutcome(cluster.apiUrls[0] ?? '', apiKey, history);
    await cluster.supervisor.stopAll();
    await readComplaints(cluster, logDirectory, history);
  } finally {
    for (const close of closers.reverse()) await close();
    history.close();
  }
}

interface Loaded {
  readonly run: FaultRun;
  readonly cluster: Cluster;
  readonly apiKey: string;
  readonly history: History;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly endpoints: readonly UnreliableEndpoint[];
}

async function underLoad(loaded: Loaded): Promise<void> {
  const { run, cluster, apiKey, history, ledger, random, endpoints } = loaded;
  const giveUp = AbortSignal.timeout(longestRunMs);
  setMaxListeners(0, giveUp);
  const target = anyOf(cluster.apiUrls, random.fork('targets'));
  const client = new RetryingClient({ target, apiKey, history, random: random.fork('client'), signal: giveUp });
  for (const endpoint of endpoints) endpoint.trust(await client.createEndpoint(endpoint.url));
  const documents: UploadedDocument[] = [];
  for (const document of await sourceDocuments())
    documents.push({ ...document, fileId: await client.upload(document) });
  const killing = new KillProcesses({
    processes: processesOf(cluster, run),
    kills: run.kills,
    endedJobs: () => ledger.accepted.length - ledger.running,
    history,
    random,
  });
  const over = new AbortController();
  const load = sendUntil(over.signal, { client, documents, ledger, random });
  const reports = setInterval(
    () => run.say(`${killing.kills} kills, ${ledger.accepted.length} jobs accepted, ${ledger.running} running`),
    15_000,
  );
  try {
    await Promise.race([killing.run(giveUp), load]);
    over.abort();
    await load;
    run.say(`${killing.kills} kills are done, ${ledger.untold} jobs are to be told`);
    await quiet(loaded);
  } finally {
    clearInterval(reports);
  }
}

function processesOf(cluster: Cluster, { apis, workers, dispatchers }: FaultRun): SupervisedProcess[] {
  const counts: Readonly<Record<Role, number>> = { api: apis, worker: workers, dispatcher: dispatchers };
  return Object.entries(counts).flatMap(([role, count]) =>
    Array.from({ length: count }, (_, index) => cluster.process(`${role}-${index + 1}`)),
  );
}

async function quiet({ cluster, ledger, run }: Loaded): Promise<void> {
  while (ledger.untold > 0 || ledger.silentMs < silentForMs) {
    if (ledger.silentMs > stuckAfterMs) return run.say(`nothing was seen for ${stuckAfterMs / 1_000} s`);
    await cluster.query(skipBackOff);
    await pause(500);
  }
}

interface Load {
  readonly client: RetryingClient;
  readonly documents: readonly UploadedDocument[];
  readonly ledger: Ledger;
  readonly random: SeededRandom;
}

/** Keeps the workers busy. Rejects when a request is refused. */
async function sendUntil(over: AbortSignal, { client, documents, ledger, random }: Load): Promise<void> {
  const requests = random.fork('requests');
  let planned = 0;
  const sendOn = async (): Promise<void> => {
    while (!over.aborted) {
      if (ledger.runningSince(recentMs) >= mostRecent || ledger.running >= mostRunning) {
        await pause(20);
        continue;
      }
      const request = planRequest(`key-${(planned += 1)}`, documents, requests);
      const ids = await Promise.all(Array.from({ length: request.copies }, () => client.submit(request)));
      for (const id of ids) ledger.accept(id);
    }
  };
  await Promise.all(Array.from({ length: clients }, sendOn));
}
