import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient } from '../support/api-client.js';
import { Cluster } from '../support/cluster.js';
import { kafkaAvailability, startKafkaBroker } from '../support/kafka-broker.js';
import { compareAdmission } from './compare-admission.js';
import { compareFlood } from './compare-flood.js';
import { compareIsolation } from './compare-isolation.js';
import { compareKey } from './compare-key.js';
import { compareKeyRows } from './compare-key-rows.js';
import { compareReplay } from './compare-replay.js';
import type { ComparisonOptions } from './comparison.js';
import { measureDeliveries } from './measure-deliveries.js';
import { measureIdle } from './measure-idle.js';
import { measureLatency } from './measure-latency.js';
import { measureMemory } from './measure-memory.js';
import { type BenchOptions, parseOptions, type PartName } from './options.js';
import {
  comparisonLines,
  deliveryLines,
  floodLines,
  idleLines,
  isolationLines,
  keyLines,
  keyRowsLines,
  latencyLines,
  memoryLines,
} from './report.js';
import { startStandalone } from './standalone.js';

const settleMs = 5_000;
const idleMs = 20_000;
const embeddedTargets = { acceptToStart: { below: 10 }, settleToReceived: { below: 15 } };

type PartOptions = BenchOptions & ComparisonOptions;

const parts: Readonly<Record<PartName, (options: PartOptions) => Promise<string[]>>> = {
  admission: async (options) =>
    comparisonLines(
      'admission, API against the bare handler',
      await compareAdmission(options),
      { api: 'API', bare: 'bare' },
      { atLeast: 0.7 },
    ),
  key: async (options) => keyLines(await compareKey(options)),
  replay: async (options) =>
    comparisonLines(
      'repetitions against fresh requests',
      await compareReplay(options),
      { replay: 'repetitions', fresh: 'fresh' },
      { atLeast: 1.5 },
    ),
  keys: async (options) => keyRowsLines(await compareKeyRows(options)),
  flood: async (options) => floodLines(await compareFlood(options)),
  memory: async (options) => memoryLines(await measureMemory(options)),
  latency: async ({ jobs, directory }) => [...(await embeddedLatency(jobs, directory)), ...(await kafkaLatency(jobs))],
  deliveries: async (options) => deliveryLines(await measureDeliveries(options)),
  isolation: async (options) => isolationLines(await compareIsolation(options)),
  idle: async ({ directory }) => idleUse(directory),
};

const parsed = parseOptions(process.argv.slice(2));
switch (parsed.kind) {
  case 'help':
    console.log(parsed.text);
    break;
  case 'refused':
    console.error(parsed.problem);
    process.exitCode = 1;
    break;
  case 'run':
    await run(parsed.options);
    process.exit(0);
}

async function run(options: BenchOptions): Promise<void> {
  console.log(machine());
  for (const name of options.parts) {
    const directory = await mkdtemp(join(tmpdir(), `pdfonce-bench-${name}-`));
    // Postgres may run as another user.
    await chmod(directory, 0o711);
    try {
      const say = (line: string): void => console.error(`${name}: ${line}`);
      for (const line of await parts[name]({ ...options, directory, say })) console.log(line);
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

function machine(): string {
  const cores = cpus();
  const gigabytes = (totalmem() / 1e9).toFixed(0);
  return `${cores.length} x ${cores[0]?.model ?? 'unknown'}, ${gigabytes} GB, ${process.platform}, Node ${process.version}`;
}

async function embeddedLatency(jobs: number, directory: string): Promise<string[]> {
  const standalone = await startStandalone(directory);
  try {
    return latencyLines('embedded default', await measureLatency(standalone.api, jobs), embeddedTargets);
  } finally {
    await standalone.process.stop();
  }
}

async function kafkaLatency(jobs: number): Promise<string[]> {
  const availability = kafkaAvailability();
  if (!availability.available) return [`on Kafka: left out, ${availability.reason}`];
  const broker = await startKafkaBroker();
  const cluster = await Cluster.start({ brokers: broker.brokers, env: { POLL_INTERVAL: '500ms' } });
  try {
    const api = new ApiClient(cluster.apiUrls[0] ?? '', await cluster.createKey('bench'));
    return latencyLines('on Kafka', await measureLatency(api, jobs));
  } finally {
    await cluster.stop();
    await broker.stop();
  }
}

async function idleUse(directory: string): Promise<string[]> {
  const standalone = await startStandalone(directory);
  try {
    await pause(settleMs);
    return idleLines(await measureIdle([standalone.process.pid, standalone.postgresPid], idleMs));
  } finally {
    await standalone.process.stop();
  }
}
