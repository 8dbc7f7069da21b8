import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { packageRoot } from '../support/package-root.js';
import type { BareSenderOptions, BareSenderResult } from './bare-sender.js';
import type { ComparisonOptions } from './comparison.js';
import type { MeasuredServer } from './measured-server.js';
import { cpuMsOf, treeOf } from './process-use.js';
import type { SinkCount, SinkOptions } from './sink.js';
import { type Stage, withStages } from './stage.js';

/** How one dispatcher delivers a backlog, and what a bare sender does to the same receivers. */
export interface DeliveryLoad {
  readonly receivers: number;
  readonly events: number;
  readonly perSecond: number;
  /** Processor time for each event, in milliseconds. */
  readonly dispatcherCpuMs: number;
  readonly postgresCpuMs: number;
  readonly bare: BareSenderResult;
}

const events = 6_000;
/** Delivered before the measurement begins. */
const warmUpEvents = 1_000;
const answerDelayMs = 2;
/** As many as a dispatcher has in flight at one quick endpoint. */
const atOnce = 32;
const longestMs = 120_000;

const run = promisify(execFile);

/** Has one dispatcher deliver events that are already there, to one receiver and then to twenty. */
export async function measureDeliveries({
  directory,
  say,
}: Pick<ComparisonOptions, 'directory' | 'say'>): Promise<DeliveryLoad[]> {
  return withStages(directory, async (open) => {
    const loads: DeliveryLoad[] = [];
    for (const receivers of [1, 20]) {
      const load = await measureLoad(await open(`deliveries-${receivers}`), receivers);
      say(`${receivers}: ${load.perSecond.toFixed(0)} deliveries/s`);
      loads.push(load);
    }
    return loads;
  });
}

async function measureLoad(stage: Stage, receivers: number): Promise<DeliveryLoad> {
  const sink = await startSink(stage, receivers);
  const bare = await sendBare(sink.urls);
  const sent = (await sink.count()).received;
  for (const url of sink.urls) await stage.client.createEndpoint({ url });
  await fill(stage);
  await stage.query('CHECKPOINT');
  const dispatcher = await stage.start('dispatcher');
  const received = async (least: number): Promise<SinkCount> => {
    const count = await sink.count();
    return count.received >= sent + least ? count : Promise.reject(new Error(`${count.received - sent} received`));
  };
  const options = { withinMs: longestMs, everyMs: 10, describe: 'deliveries' };
  const first = await eventually(() => received(warmUpEvents), options);
  const before = await cpuOf(stage, dispatcher);
  const last = await eventually(() => received(events), options);
  await eventually(() => isSettled(stage), options);
  const after = await cpuOf(stage, dispatcher);
  await dispatcher.stop();
  const counted = last.received - first.received;
  return {
    receivers,
    events: counted,
    perSecond: (1_000 * counted) / (last.lastAtMs - first.lastAtMs),
    dispatcherCpuMs: (after.dispatcherMs - before.dispatcherMs) / counted,
    postgresCpuMs: (after.postgresMs - before.postgresMs) / counted,
    bare,
  };
}

interface Sink {
  readonly urls: readonly string[];
  count(): Promise<SinkCount>;
}

async function startSink(stage: Stage, receivers: number): Promise<Sink> {
  const port = await freePort();
  const receiverPorts: number[] = [];
  for (let index = 0; index < receivers; index += 1) receiverPorts.push(await freePort());
  const options: SinkOptions = { port, receiverPorts, delayMs: answerDelayMs };
  const args = [JSON.stringify(options)];
  const { url } = await stage.startServer({ name: 'sink', entry: 'test/bench/sink.js', port, args });
  return {
    urls: receiverPorts.map((each) => `http://127.0.0.1:${each}/`),
    count: async () => (await (await fetch(url)).json()) as SinkCount,
  };
}

async function sendBare(urls: readonly string[]): Promise<BareSenderResult> {
  const options: BareSenderOptions = { urls, requests: events, atOnce, body };
  const sender = join(packageRoot, 'dist/test/bench/bare-sender.js');
  const { stdout } = await run(process.execPath, [sender, JSON.stringify(options)]);
  return JSON.parse(stdout) as BareSenderResult;
}

/** About as long as the event of a finished job. */
const body = JSON.stringify({ type: 'job.completed', data: { object: 'job', text: 'x'.repeat(400) } });

/** Each event goes to one endpoint, to all in turn. */
async function fill(stage: Stage): Promise<void> {
  await stage.query(
    `WITH target AS (
       SELECT id, account_id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS total FROM webhook_endpoints
     ), made AS (
       INSERT INTO events (id, account_id, type, body, occurred_at)
       SELECT new_uuid_v7(), (SELECT account_id FROM target LIMIT 1), 'webhook.ping', $2, now() FROM generate_series(1, $1)
       RETURNING id, account_id
     ), numbered AS (
       SELECT id, account_id, row_number() OVER () AS number FROM made
     )
     INSERT INTO deliveries (id, account_id, event_id, endpoint_id, state, next_attempt_at)
     SELECT new_uuid_v7(), numbered.account_id, numbered.id, target.id, 'pending', now()
     FROM numbered JOIN target ON target.place = numbered.number % target.total`,
    [events, body],
  );
}

async function isSettled(stage: Stage): Promise<boolean> {
  const [open] = await stage.query<{ open: string }>(
    `SELECT count(*) AS open FROM deliveries WHERE state IN ('pending', 'delivering')`,
  );
  return open?.open === '0';
}

/** Processor time so far, that of processes of Postgres that ended included. */
async function cpuOf(stage: Stage, dispatcher: MeasuredServer) {
  const [file] = await stage.query<{ text: string }>(`SELECT pg_read_file('postmaster.pid') AS text`);
  const postmaster = Number(file?.text.split('\n')[0]);
  return { dispatcherMs: await cpuMsOf([dispatcher.pid]), postgresMs: await cpuMsOf(await treeOf([postmaster])) };
}
