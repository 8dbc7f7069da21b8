import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ApiClient } from '../support/api-client.js';
import { Cluster } from '../support/cluster.js';
import { type History, openHistory } from '../support/history.js';
import { startKafkaBroker } from '../support/kafka-broker.js';
import { packageRoot } from '../support/package-root.js';
import { samplePdf } from '../support/pdf-samples.js';
import { startTestPostgres } from '../support/postgres.js';
import { BreakDelivery } from './break-delivery.js';
import { cancelBatches } from './cancel-batches.js';
import { RetryingClient } from './client.js';
import { SeededRandom } from './random.js';
import { readComplaints } from './read-complaints.js';
import { readDeliveries } from './read-deliveries.js';
import { receiverNames, receiverPatterns } from './receiver-conduct.js';
import { ReceiverProcess } from './receiver-process.js';
import type { FaultRun } from './run-under-faults.js';

/** Of one request. */
export const timeoutMs = 3_000;
/** What a lease leaves between the longest request and its end. A dispatcher that is stopped for longer may lose a delivery while its request is open. */
export const leaseMarginMs = 15_000;

/** A timeout that leaves leases as short as they can be. */
const env = {
  DATABASE_POOL: '4',
  POLL_INTERVAL: '200ms',
  WEBHOOK_TIMEOUT: `${timeoutMs}ms`,
  SHUTDOWN_GRACE: '5s',
  NODE_OPTIONS: `--import ${pathToFileURL(join(packageRoot, 'dist/test/faults/name-sender.js')).href}`,
};

/** Attempts enough for every kill, however many in a row hit the same delivery. */
const attemptOften = `UPDATE webhook_endpoints SET retry_schedule = ARRAY[5] || array_fill(300, ARRAY[60])`;
/** The hours between attempts, and the time until a failing endpoint is probed, are skipped when the faults are over. */
const skipBackOff = `
WITH probed AS (
  UPDATE webhook_endpoints SET probe_at = now()
  WHERE state = 'failing' AND probe_at > now()
    AND NOT EXISTS (SELECT FROM deliveries WHERE endpoint_id = webhook_endpoints.id AND state = 'delivering')
)
UPDATE deliveries SET next_attempt_at = now() WHERE state = 'pending' AND next_attempt_at > now() + interval '1 second'`;
const countOpen = `SELECT count(*)::integer AS open FROM deliveries WHERE state IN ('pending', 'delivering')`;
/** No delivery may end for so long before a run is given up; one whose sender died is taken again after its lease. */
const stuckAfterMs = 60_000;
const pollMs = 500;
const longestRunMs = 30 * 60_000;

/** Runs dispatchers that deliver to receivers of every kind, breaks them and what they need, waits until all is delivered, and writes down what was seen. */
export async function runDelivery(run: FaultRun): Promise<void> {
  const history = openHistory(run.historyPath);
  const logDirectory = join(run.directory, 'logs');
  const closers: (() => Promise<void>)[] = [];
  try {
    const broker = await startKafkaBroker({ own: true });
    closers.push(() => broker.stop());
    const postgres = await startTestPostgres({ isOwn: true });
    closers.push(() => postgres.stop());
    const receivers = await ReceiverProcess.start(run.historyPath, run.seed);
    closers.push(() => receivers.stop());
    const { apis, workers, dispatchers } = run;
    const parts = { brokers: broker.brokers, env, logDirectory, postgres };
    const cluster = await Cluster.start({ apis, workers, dispatchers, ...parts });
    closers.push(() => cluster.stop());
    run.say('the cluster is up');
    const random = new SeededRandom(run.seed);
    const breaking = new BreakDelivery({
      ...{ dispatchers: dispatchersOf(cluster, dispatchers), postgres, broker, faults: run.kills, history, random },
      leaseMs: timeoutMs + leaseMarginMs,
      hangingSender: (withinMs) => receivers.hangingSender(withinMs),
    });
    await underLoad({ run, cluster, receivers, breaking, history, random });
    await readDeliveries(cluster, history);
    await cluster.supervisor.stopAll();
    await readComplaints(cluster, logDirectory, history);
  } finally {
    for (const close of closers.reverse()) await close();
    history.close();
  }
}

function dispatchersOf(cluster: Cluster, count: number) {
  return Array.from({ length: count }, (_, index) => cluster.process(`dispatcher-${index + 1}`));
}

interface Loaded {
  readonly run: FaultRun;
  readonly cluster: Cluster;
  readonly receivers: ReceiverProcess;
  readonly breaking: BreakDelivery;
  readonly history: History;
  readonly random: SeededRandom;
}

async function underLoad({ run, cluster, receivers, breaking, history, random }: Loaded): Promise<void> {
  const signal = AbortSignal.timeout(longestRunMs);
  setMaxListeners(0, signal);
  const url = cluster.apiUrls[0] ?? '';
  const api = new ApiClient(url, await cluster.createKey('load'));
  const target = (): { name: string; url: string } => ({ name: 'api-1', url });
  const clientRandom = random.fork('client');
  const client = new RetryingClient({ target, apiKey: api.apiKey, history, random: clientRandom, signal });
  await createEndpoints(api, receivers);
  await cluster.query(attemptOften);
  const fileId = await client.upload({ name: 'a.pdf', bytes: await samplePdf([100]), pages: 1 });
  const over = new AbortController();
  const load = cancelBatches(over.signal, { client, fileId, random: random.fork('load') });
  const reports = setInterval(() => run.say(`${breaking.faults} faults`), 15_000);
  try {
    await Promise.race([breaking.run(signal), load]);
    over.abort();
    await load;
    await receivers.order({ kind: 'be-well' });
    run.say(`${breaking.faults} faults are done`);
    await quiet(cluster, run.say);
  } finally {
    clearInterval(reports);
  }
}

async function createEndpoints(api: ApiClient, receivers: ReceiverProcess): Promise<void> {
  const secrets: Record<string, string> = {};
  for (const name of receiverNames) {
    const answer = await api.createEndpoint({ url: receivers.url(name), event_types: receiverPatterns[name] });
    if (answer.status !== 201) throw new Error(`${name} was refused: ${answer.status} ${answer.body.toString('utf8')}`);
    secrets[name] = answer.json<{ secret: string }>().secret;
  }
  await receivers.order({ kind: 'trust', secrets });
}

/** Waits until no delivery is open, or nothing ends any longer. */
async function quiet(cluster: Cluster, say: (line: string) => void): Promise<void> {
  let least = Infinity;
  let changedAtMs = performance.now();
  for (;;) {
    await cluster.query(skipBackOff);
    const open = (await cluster.query<{ open: number }>(countOpen))[0]?.open ?? 0;
    if (open === 0) return;
    if (open < least) {
      least = open;
      changedAtMs = performance.now();
    }
    if (performance.now() - changedAtMs > stuckAfterMs)
      return say(`${open} deliveries are open, and none has ended for long`);
    await pause(pollMs);
  }
}
