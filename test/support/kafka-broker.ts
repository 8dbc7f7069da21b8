import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { eventually } from './eventually.js';
import { brokerSettings, freePorts, type BrokerPorts } from './kafka/broker-settings.js';
import { givenBrokers, kafkaAvailability } from './kafka/availability.js';
import { brokerClassPath, cacheDirectory } from './kafka/class-path.js';
import { type BrokerUser, type SecuredListeners, securedSettings } from './kafka/secured-listeners.js';
import { killWithThisProcess } from './kill-with-this-process.js';

export { kafkaAvailability, type KafkaAvailability } from './kafka/availability.js';

/** A broker for tests. Only one of our own can be killed and paused; the one that `KAFKA_BROKERS` names refuses that with an error. */
export interface KafkaBroker {
  /** `host:port` of the broker. */
  readonly brokers: string[];
  /** The listeners that ask for a password or TLS, of a broker that was started with users. */
  readonly secured?: SecuredListeners | undefined;
  /** The shortest consumer session it allows, in milliseconds. */
  readonly minSessionMs: number;
  /** Ends it and removes its data, unless the data directory was given. */
  stop(): Promise<void>;
  /** SIGKILL; data and port stay for `restart`. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data, and waits until it answers. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing is answered. */
  pause(): void;
  resume(): void;
}

/** `own`: a broker that can be killed and paused, even where `KAFKA_BROKERS` is set; `users`: with secured listeners for them. */
export interface KafkaBrokerOptions {
  readonly dataDirectory?: string;
  readonly own?: boolean;
  readonly users?: readonly BrokerUser[];
}

const run = promisify(execFile);
const clusterId = 'MkU3OEVBNTcwNTJENDM2Qk';
const heap = ['-Xms128m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/**
 * Starts an Apache Kafka 4 broker (one node, KRaft) and waits until it answers metadata requests; it ends with this process, however that
 * ends. Where `KAFKA_BROKERS` is set, that broker is used instead.
 *
 * @throws with the reason when there is no broker to be had
 */
export async function startKafkaBroker(options: KafkaBrokerOptions = {}): Promise<KafkaBroker> {
  const { dataDirectory, users, own = dataDirectory !== undefined || users !== undefined } = options;
  const availability = kafkaAvailability({ own });
  if (!availability.available) throw new Error(`Kafka is not available: ${availability.reason}`);
  const given = own ? undefined : givenBrokers();
  if (given) return givenBroker(given);
  const broker = await OwnBroker.prepare(dataDirectory, users);
  await broker.restart();
  return broker;
}

class OwnBroker implements KafkaBroker {
  readonly brokers: string[];
  readonly minSessionMs = 1_000;
  #process: ChildProcess | undefined;
  #forget: (() => void) | undefined;

  private constructor(
    private readonly directory: string,
    private readonly isTemporary: boolean,
    private readonly classPath: string,
    ports: BrokerPorts,
    readonly secured?: SecuredListeners | undefined,
  ) {
    this.brokers = [`127.0.0.1:${ports.client}`];
  }

  static async prepare(dataDirectory?: string, users?: readonly BrokerUser[]): Promise<OwnBroker> {
    const classPath = await brokerClassPath();
    await mkdir(dataDirectory ?? cacheDirectory(), { recursive: true });
    const directory = dataDirectory ?? (await mkdtemp(join(cacheDirectory(), 'data-')));
    const portsFile = join(directory, 'ports.json');
    if (existsSync(portsFile)) {
      const ports = JSON.parse(await readFile(portsFile, 'utf8')) as BrokerPorts;
      return new OwnBroker(directory, false, classPath, ports);
    }
    const ports = await freePorts();
    const settings = join(directory, 'server.properties');
    const secured = users === undefined ? undefined : await securedSettings(directory, users);
    await writeFile(settings, brokerSettings(ports, join(directory, 'log'), secured?.settings));
    const format = ['format', '--standalone', '-t', clusterId, '-c', settings, ...(secured?.formatArguments ?? [])];
    await run('java', [...heap, '-cp', classPath, 'kafka.tools.StorageTool', ...format]);
    await writeFile(portsFile, JSON.stringify(ports));
    return new OwnBroker(directory, dataDirectory === undefined, classPath, ports, secured?.listeners);
  }

  async restart(): Promise<void> {
    await this.kill();
    const output = await open(join(this.directory, 'output.txt'), 'a');
    const args = [...heap, '-cp', this.classPath, 'kafka.Kafka', join(this.directory, 'server.properties')];
    const broker = spawn('java', args, { cwd: '/', detached: true, stdio: ['ignore', output.fd, output.fd] });
    await output.close();
    this.#process = broker;
    if (broker.pid !== undefined) this.#forget = killWithThisProcess(broker.pid);
    broker.unref();
    await this.#answers(broker);
  }

  async stop(): Promise<void> {
    if (this.isTemporary) await this.kill();
    else await this.#end('SIGTERM');
    if (this.isTemporary) await rm(this.directory, { recursive: true, force: true });
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const broker = this.#process;
    this.#process = undefined;
    if (broker && !hasEnded(broker)) {
      const exited = new Promise((resolve) => broker.once('exit', resolve));
      broker.kill(signal);
      broker.ref();
      await exited;
    }
    this.#forget?.();
  }

  async #answers(broker: ChildProcess): Promise<void> {
    await eventually(() => hasEnded(broker) || answersMetadata(this.brokers), {
      withinMs: 60_000,
      everyMs: 100,
      describe: 'the Kafka broker answers',
    });
    if (!hasEnded(broker)) return;
    const output = await readFile(join(this.directory, 'output.txt'), 'utf8');
    throw new Error(`the Kafka broker ended:\n${output.slice(-2_000)}`);
  }
}

function hasEnded(broker: ChildProcess): boolean {
  return broker.exitCode !== null || broker.signalCode !== null;
}

async function answersMetadata(brokers: string[]): Promise<boolean> {
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, retry: { retries: 0 }, connectionTimeout: 1_000 });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers: members } = await admin.describeCluster();
    return members.length > 0;
  } finally {
    await admin.disconnect();
  }
}

function givenBroker(brokers: string[]): KafkaBroker {
  const refuse = (): never => {
    throw new Error('KAFKA_BROKERS is set: that broker cannot be killed, paused or restarted');
  };
  const refuseLater = async () => refuse();
  return {
    brokers,
    minSessionMs: 6_000,
    stop: async () => undefined,
    kill: refuseLater,
    restart: refuseLater,
    pause: refuse,
    resume: refuse,
  };
}
