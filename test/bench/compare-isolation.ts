import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { uuidOf } from '#libs/domain';
import { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { packageRoot } from '../support/package-root.js';
import type { ComparisonOptions } from './comparison.js';
import type { EventSourceOptions, SourcedEvents } from './event-source.js';
import { fillBacklog } from './fill-backlog.js';
import { measureRounds, type Round } from './rounds.js';
import { Sample } from './sample.js';
import { type Stage, withStages } from './stage.js';
import type { ReceivedLatencies, TimedConduct, TimedReceiversOptions } from './timed-receivers.js';

/** The good endpoints alone; with three bad ones; with one that returns and is owed many deliveries. */
type Situation = 'alone' | 'bad' | 'returning';

/** What bad endpoints, and one that returns, do to the time from an event to its first request at the others. */
export interface IsolationComparison {
  /** How many good endpoints there are. */
  readonly endpoints: number;
  readonly backlog: number;
  readonly rounds: readonly Round<Situation, Sample>[];
}

const goodEndpoints = 17;
/** Together with the bad ones 100 in a second. */
const perSecondAndEndpoint = 5;
const backlog = 100_000;
const warmUpMs = 3_000;
/** A 99th percentile needs many events. */
const timesOfHalf = 4;
const pollInterval = '20ms';
const longestMs = 60_000;

const run = promisify(execFile);

/** Measures every situation in each round, each on a database of its own, with a dispatcher that starts with it. */
export async function compareIsolation(options: ComparisonOptions): Promise<IsolationComparison> {
  const { directory, pairs, say } = options;
  const measuredMs = timesOfHalf * options.measuredMs;
  return withStages(directory, async (open) => {
    const alone = await openEndpoints(await open('alone'), []);
    const bad = await openEndpoints(await open('bad'), ['hanging', 'failing', 'refused']);
    const returning = await openEndpoints(await open('returning'), ['well']);
    const owed = returning.ids.at(-1) ?? '';
    const measures = {
      alone: () => measure(alone, measuredMs),
      bad: async () => {
        await bad.stage.query(forgetHealth);
        return measure(bad, measuredMs);
      },
      returning: async () => {
        await fillBacklog(returning.stage, owed, backlog);
        return measure({ ...returning, accountIds: returning.accountIds.slice(0, goodEndpoints) }, measuredMs);
      },
    };
    const rounds = await measureRounds(pairs, measures, (round, number) => say(`round ${number}: ${told(round)}`));
    return { endpoints: goodEndpoints, backlog, rounds };
  });
}

/** What was learnt of bad endpoints in the round before. */
const forgetHealth = `
UPDATE webhook_endpoints
SET state = 'healthy', consecutive_failures = 0, first_failure_at = NULL, probes = 0, probe_at = NULL WHERE state = 'failing'`;

interface Endpoints {
  readonly stage: Stage;
  /** One account for each endpoint, the good ones first; UUIDs. */
  readonly accountIds: readonly string[];
  readonly ids: readonly string[];
  readonly receiversUrl: string;
}

async function openEndpoints(stage: Stage, others: readonly (TimedConduct | 'refused')[]): Promise<Endpoints> {
  const conducts = [...Array<TimedConduct>(goodEndpoints).fill('well'), ...others];
  const places = await Promise.all(conducts.map(async (conduct) => ({ conduct, port: await freePort() })));
  const receivers = places.flatMap(({ conduct, port }) => (conduct === 'refused' ? [] : [{ conduct, port }]));
  const port = await freePort();
  const args = [JSON.stringify({ port, receivers } satisfies TimedReceiversOptions)];
  const server = await stage.startServer({ name: 'receivers', entry: 'test/bench/timed-receivers.js', port, args });
  const ids: string[] = [];
  for (const [index, place] of places.entries()) {
    const api = new ApiClient(stage.client.url, await stage.createKey(`account-${index}`));
    const answer = await api.createEndpoint({ url: `http://127.0.0.1:${place.port}/` });
    if (answer.status !== 201) throw new Error(`an endpoint was answered with ${answer.status}`);
    ids.push(uuidOf('ep', answer.json<{ id: string }>().id) ?? '');
  }
  return { stage, ids, accountIds: await accountsOf(stage, ids), receiversUrl: server.url };
}

async function accountsOf(stage: Stage, ids: readonly string[]): Promise<string[]> {
  const rows = await stage.query<{ account_id: string }>(
    `SELECT account_id FROM webhook_endpoints ORDER BY array_position($1::uuid[], id)`,
    [ids],
  );
  return rows.map(({ account_id: accountId }) => accountId);
}

async function measure({ stage, accountIds, receiversUrl }: Endpoints, measuredMs: number): Promise<Sample> {
  await fetch(receiversUrl, { method: 'DELETE' });
  await stage.query('CHECKPOINT');
  const dispatcher = await stage.start('dispatcher', { POLL_INTERVAL: pollInterval });
  const made = await makeEvents({
    ...{ databaseUrl: stage.databaseUrl, accountIds, warmUpMs, measuredMs },
    perSecond: perSecondAndEndpoint * accountIds.length,
  });
  const wanted = sum(made.slice(0, goodEndpoints));
  const good = await eventually(
    async () => {
      const received = (await (await fetch(receiversUrl)).json()) as ReceivedLatencies;
      const latencies = received.slice(0, goodEndpoints).flat();
      return latencies.length >= wanted ? latencies : undefined;
    },
    { withinMs: longestMs, everyMs: 100, describe: `the arrival of ${wanted} events` },
  );
  await dispatcher.stop();
  return new Sample(good ?? []);
}

async function makeEvents(options: EventSourceOptions): Promise<SourcedEvents> {
  const source = join(packageRoot, 'dist/test/bench/event-source.js');
  const { stdout } = await run(process.execPath, [source, JSON.stringify(options)]);
  return JSON.parse(stdout) as SourcedEvents;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function told(round: Round<Situation, Sample>): string {
  return Object.entries(round)
    .map(
      ([name, times]) => `${name} p95 ${times.quantile(0.95).toFixed(1)} ms p99 ${times.quantile(0.99).toFixed(1)} ms`,
    )
    .join(', ');
}
