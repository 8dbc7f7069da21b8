import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { typeId } from '#libs/domain';
import { Cluster } from '../support/cluster.js';
import { type History, openHistory } from '../support/history.js';
import { samplePdf } from '../support/pdf-samples.js';
import { startTestPostgres } from '../support/postgres.js';
import { BreakAdmission } from './break-admission.js';
import { RetryingClient, type Target } from './client.js';
import { Ledger } from './ledger.js';
import { fileIntent } from './plan-intents.js';
import { SeededRandom } from './random.js';
import { readComplaints } from './read-complaints.js';
import { readStored } from './read-stored.js';
import type { FaultRun } from './run-under-faults.js';
import { sendIntents } from './send-intents.js';

/** Where the end of a job or batch is seen. */
const channel = 'database';

const env = { WORKER_CONCURRENCY: '2', DATABASE_POOL: '4', POLL_INTERVAL: '200ms', SHUTDOWN_GRACE: '5s' };

const leastRetryMs = 10;
const mostRetryMs = 90;
const impatientShare = 0.03;
const endpointsPerAccount = 40;
const pollMs = 300;
/** Nothing may end for so long before a run is given up. */
const stuckAfterMs = 60_000;
const longestRunMs = 30 * 60_000;

const ended = `
SELECT id, 'job' AS kind FROM jobs WHERE finished_at > now() - interval '20 seconds'
UNION ALL SELECT id, 'batch' FROM batches WHERE finished_at > now() - interval '20 seconds'`;

/** Runs API processes and a worker under load, breaks admissions, waits until all is quiet, and writes down everything that was seen. */
export async function runAdmission(run: FaultRun): Promise<void> {
  const history = openHistory(run.historyPath);
  const logDirectory = join(run.directory, 'logs');
  const postgres = await startTestPostgres({ isOwn: true });
  try {
    const { apis, workers } = run;
    const cluster = await Cluster.start({ apis, workers, dispatchers: 0, env, logDirectory, postgres });
    try {
      run.say('the cluster is up');
      await underLoad(run, cluster, history);
      await readStored(cluster, history);
    } finally {
      await cluster.stop();
    }
    await readComplaints(cluster, logDirectory, history);
  } finally {
    await postgres.stop();
    history.close();
  }
}

async function underLoad(run: FaultRun, cluster: Cluster, history: History): Promise<void> {
  const random = new SeededRandom(run.seed);
  const ledger = new Ledger([channel]);
  const signal = AbortSignal.timeout(longestRunMs);
  setMaxListeners(0, signal);
  const apis = Array.from({ length: run.apis }, (_, index) => cluster.process(`api-${index + 1}`));
  const breaking = new BreakAdmission({ cluster, apis, faults: run.kills, history, random });
  const targets = new Targets(cluster, breaking, random.fork('targets'));
  const apiKey = await cluster.createKey('load');
  const pauses = { leastPauseMs: leastRetryMs, mostPauseMs: mostRetryMs };
  const client = new RetryingClient({
    ...{
      target: () => targets.next(),
      apiKey,
      history,
      random: random.fork('client'),
      signal,
      ...pauses,
      impatientShare,
    },
  });
  const over = new AbortController();
  const done = breaking.run(signal);
  const document = await samplePdf([100]);
  const source = await client.decide(fileIntent('source', document).request('a'));
  const parts = { document, fileId: source.json<{ id: string }>().id, endpointAccount: endpointAccounts(cluster) };
  const load = sendIntents(over.signal, { client, ledger, random, parts });
  const watched = new AbortController();
  const watching = watchEnds(cluster, ledger, watched.signal);
  const reports = setInterval(
    () => run.say(`${breaking.faults} faults, ${ledger.accepted.length} accepted, ${ledger.running} running`),
    15_000,
  );
  try {
    await Promise.race([done, load]);
    over.abort();
    await load;
    run.say(`${breaking.faults} faults are done, ${ledger.untold} jobs and batches are running`);
    while (ledger.untold > 0 && ledger.silentMs < stuckAfterMs) await pause(pollMs);
  } finally {
    clearInterval(reports);
    watched.abort();
    await watching;
  }
}

/** Sends to the processes that can answer, as a load balancer with a health check does. */
class Targets {
  constructor(
    private readonly cluster: Cluster,
    private readonly breaking: BreakAdmission,
    private readonly random: SeededRandom,
  ) {}

  next(): Target | undefined {
    const { up } = this.breaking;
    const chosen = up[this.random.integer(0, up.length - 1)];
    if (chosen === undefined) return undefined;
    const { name, leaving } = chosen;
    return { name, leaving, url: this.cluster.apiUrls[Number(name.split('-')[1]) - 1] ?? '' };
  }
}

/** API keys of accounts that may have more endpoints. */
function endpointAccounts(cluster: Cluster): () => Promise<string> {
  let given = 0;
  let key: Promise<string> | undefined;
  return () => {
    const isNew = given % endpointsPerAccount === 0;
    if (key === undefined || isNew) key = cluster.createKey(`endpoints-${given / endpointsPerAccount}`);
    given += 1;
    return key;
  };
}

/** Tells the ledger of every job and batch that has ended. */
async function watchEnds(cluster: Cluster, ledger: Ledger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const rows = await cluster.query<{ id: string; kind: 'job' | 'batch' }>(ended);
    for (const { id, kind } of rows) ledger.tell(channel, typeId(kind, id));
    await pause(pollMs);
  }
}
