import { setTimeout as pause } from 'node:timers/promises';
import type { FailpointName } from '#libs/failpoints';
import type { History } from '../support/history.js';
import type { KafkaBroker } from '../support/kafka-broker.js';
import type { TestPostgres } from '../support/postgres.js';
import type { SupervisedProcess } from '../support/supervisor.js';
import { KeptProcesses } from './kept-processes.js';
import type { ProcessKeeper } from './process-keeper.js';
import type { SeededRandom } from './random.js';

/** The named moments at which a dispatcher is killed. */
export const deliveryPoints: readonly FailpointName[] = ['delivery.after-claim', 'delivery.after-answer'];

export interface BreakDeliveryOptions {
  readonly dispatchers: readonly SupervisedProcess[];
  readonly postgres: TestPostgres;
  readonly broker: KafkaBroker;
  /** How long a dispatcher holds a delivery, in milliseconds. */
  readonly leaseMs: number;
  /** Waits for a request that will never be answered, and gives the process that sent it. */
  readonly hangingSender: (withinMs: number) => Promise<number | undefined>;
  /** How many faults are wanted. */
  readonly faults: number;
  readonly history: History;
  readonly random: SeededRandom;
}

type Fault = 'kill' | 'stop' | 'stop past the lease' | 'postgres' | 'kafka';

/** The first ones of every run; after them each round is as many, shuffled. */
const round: readonly Fault[] = [
  ...(['kill', 'stop past the lease', 'postgres', 'kill', 'kafka', 'stop'] as const),
  ...(['kill', 'kill', 'stop', 'kill', 'kill', 'stop', 'kill', 'kill'] as const),
];

const mostTimes = 12;
const leastPauseMs = 300;
const mostPauseMs = 1_800;
/** A random kill leaves its victim so much time for work, at most; some hit a process that still starts. */
const mostWorkMs = 2_000;
const evenUnreadyShare = 0.05;
const leastStopMs = 200;
const mostStopMs = 5_000;
/** Of a stop that outlasts a lease, beyond it. */
const mostBeyondMs = 3_000;
/** For so long a process that holds an open request is waited for before such a stop. */
const longestWaitMs = 5_000;
const killedAfterStopShare = 0.35;
const mostDownMs = 2_500;

/**
 * Breaks deliveries until so many faults were done: kills dispatchers at random and at named moments, stops them, some for longer than a lease, after
 * which they go on or are killed, and crashes Postgres and the Kafka broker. What is killed is started again.
 */
export class BreakDelivery {
  readonly #random: SeededRandom;
  readonly #kept: KeptProcesses;
  readonly #due: Fault[] = [...round];
  #outage: Promise<void> = Promise.resolve();
  #isOut = false;

  constructor(private readonly options: BreakDeliveryOptions) {
    const { dispatchers: processes, faults, history, random } = options;
    this.#random = random.fork('faults');
    const momentsOf = () => ({ points: deliveryPoints, mostTimes });
    const dueElsewhere = (): number => (this.#isOut ? 1 : 0);
    this.#kept = new KeptProcesses({ processes, faults, history, random, momentsOf, dueElsewhere });
  }

  /** How many were done: kills, stops after which the process went on, and outages. */
  get faults(): number {
    return this.#kept.faults;
  }

  /** Resolves when the last fault is done and everything works again. */
  async run(signal: AbortSignal): Promise<void> {
    this.#kept.start();
    while (!this.#kept.isDone && !signal.aborted) {
      await pause(this.#random.integer(leastPauseMs, mostPauseMs));
      if (this.#kept.isFree) await this.#break(this.#next());
      else this.#kept.killArmed();
    }
    await this.#outage;
    await this.#kept.end();
  }

  /** Of the round, the first that can be done now: one process is stopped at a time, and one server is out. */
  #next(): Fault {
    if (this.#due.length === 0) this.#due.push(...this.#random.shuffled(round));
    const isStopped = this.#kept.isOneStopped;
    const index = this.#due.findIndex((fault) => {
      if (fault === 'kill') return true;
      return fault === 'postgres' || fault === 'kafka' ? !this.#isOut : !isStopped;
    });
    return this.#due.splice(Math.max(0, index), 1)[0] ?? 'kill';
  }

  async #break(fault: Fault): Promise<void> {
    const { leaseMs, postgres, broker } = this.options;
    switch (fault) {
      case 'kill':
        return this.#victim(this.#random.chance(evenUnreadyShare) ? -1 : this.#random.integer(0, mostWorkMs))?.kill();
      case 'stop':
        return this.#stop(this.#victim(0), this.#random.integer(leastStopMs, mostStopMs));
      case 'stop past the lease':
        return this.#stop(await this.#holder(), leaseMs + this.#random.integer(0, mostBeyondMs));
      case 'postgres':
        return this.#putOut('postgres', { out: () => postgres.halt('immediate'), back: () => postgres.resume() });
      case 'kafka':
        return this.#putOut('kafka', { out: () => broker.kill(), back: () => broker.restart() });
    }
  }

  #victim(workMs: number): ProcessKeeper | undefined {
    const candidates = this.#kept.all.filter((keeper) => !keeper.isStopped && keeper.workedMs >= workMs);
    return this.#random.shuffled(candidates)[0];
  }

  /** One that holds an open request, if there soon is one. */
  async #holder(): Promise<ProcessKeeper | undefined> {
    const sender = await this.options.hangingSender(longestWaitMs);
    return this.#kept.all.find(({ pid, isUp }) => pid === sender && isUp) ?? this.#victim(0);
  }

  #stop(victim: ProcessKeeper | undefined, ms: number): void {
    this.#kept.stop(victim, ms, this.#random.chance(killedAfterStopShare));
  }

  #putOut(of: 'postgres' | 'kafka', { out, back }: Readonly<Record<'out' | 'back', () => Promise<void>>>): void {
    if (this.#isOut) return;
    const downMs = this.#random.integer(0, mostDownMs);
    const startedAtMs = performance.now();
    this.#isOut = true;
    this.#outage = out()
      .then(() => pause(downMs))
      .then(back)
      .then(() => {
        this.#isOut = false;
        this.#kept.noteFault();
        this.options.history.append({ type: 'outage', of, downMs: Math.round(performance.now() - startedAtMs) });
      });
    // Told by `run`, which awaits it.
    this.#outage.catch(() => undefined);
  }
}
