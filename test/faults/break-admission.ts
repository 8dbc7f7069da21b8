import { setTimeout as pause } from 'node:timers/promises';
import type { FailpointName } from '#libs/failpoints';
import pg from 'pg';
import type { Cluster } from '../support/cluster.js';
import type { History } from '../support/history.js';
import type { SupervisedProcess } from '../support/supervisor.js';
import { KeptProcesses } from './kept-processes.js';
import type { ProcessKeeper } from './process-keeper.js';
import type { SeededRandom } from './random.js';

/** The named moments at which an API is killed. */
export const admissionPoints: readonly FailpointName[] = ['admission.before-statement', 'admission.after-commit'];

export interface BreakAdmissionOptions {
  readonly cluster: Cluster;
  readonly apis: readonly SupervisedProcess[];
  /** How many faults are wanted. */
  readonly faults: number;
  readonly history: History;
  readonly random: SeededRandom;
}

const mostTimes = 12;
const leastPauseMs = 80;
const mostPauseMs = 360;
const terminateShare = 0.3;
const stopShare = 0.25;
/** For so long a second process is waited for before a fault. */
const longestWaitMs = 300;
/** Of the faults that find only one process up: mostly it is left to work. */
const killTheLastShare = 0.15;
const startingShare = 0.05;
/** Beyond the time-outs of sessions of admission (2 s), mostly. */
const leastStopMs = 500;
const mostStopMs = 4_500;
const killedAfterStopShare = 0.4;
const mostTerminated = 3;

/** Before a fault, statements of admission are often held up in their middle, so that it hits them there. */
const heldShare = 0.5;
const longestHoldMs = 150;
const holds: readonly [string, ...string[]] = [
  'LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE',
  'LOCK TABLE files IN SHARE ROW EXCLUSIVE MODE',
  'LOCK TABLE webhook_endpoints IN SHARE ROW EXCLUSIVE MODE',
  'SELECT FROM accounts FOR UPDATE',
];

/** Sessions of admission, those in the middle of something first. */
const terminate = `
WITH victim AS (
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name IN ('pdfonce admission', 'pdfonce rate-limit')
  ORDER BY state <> 'idle' DESC, random() LIMIT $1
)
SELECT pid FROM victim WHERE pg_terminate_backend(pid)`;

/**
 * Breaks admissions until so many faults were done: kills API processes at random and at named moments, stops them for a while, after which
 * they go on or are killed, and ends their sessions in Postgres. What is killed is started again at once.
 */
export class BreakAdmission {
  readonly #random: SeededRandom;
  readonly #kept: KeptProcesses;

  constructor(private readonly options: BreakAdmissionOptions) {
    const { apis: processes, faults, history, random } = options;
    this.#random = random.fork('faults');
    const momentsOf = () => ({ points: admissionPoints, mostTimes });
    this.#kept = new KeptProcesses({ processes, faults, history, random, momentsOf });
  }

  /** How many were done: kills, stops after which the process went on, and ends of sessions. */
  get faults(): number {
    return this.#kept.faults;
  }

  /** The processes that can answer. */
  get up(): readonly ProcessKeeper[] {
    return this.#kept.all.filter(({ isUp }) => isUp);
  }

  /** Resolves when the last fault is done and every process works again. */
  async run(signal: AbortSignal): Promise<void> {
    this.#kept.start();
    while (!this.#kept.isDone && !signal.aborted) {
      await pause(this.#random.integer(leastPauseMs, mostPauseMs));
      await this.#someAreUp();
      await this.#breakSomething();
    }
    await this.#kept.end();
  }

  async #someAreUp(): Promise<void> {
    const until = performance.now() + longestWaitMs;
    while (this.up.length === 0 || (this.up.length < 2 && performance.now() < until)) await pause(10);
  }

  async #breakSomething(): Promise<void> {
    const holder = this.#random.chance(heldShare) ? await this.#hold() : undefined;
    if (holder !== undefined) await pause(this.#random.integer(0, longestHoldMs));
    await this.#fault();
    if (holder === undefined) return;
    await pause(this.#random.integer(0, longestHoldMs));
    await holder.end();
  }

  async #fault(): Promise<void> {
    if (!this.#kept.isFree) return this.#kept.killArmed();
    const choice = this.#random.next();
    const isLast = this.up.length < 2 && !this.#random.chance(killTheLastShare);
    if (isLast || choice < terminateShare) return this.#terminate();
    const victim = this.#victim();
    if (victim === undefined) return;
    if (choice < terminateShare + stopShare && !this.#kept.isOneStopped && victim.isUp) this.#stop(victim);
    else victim.kill();
  }

  #victim(): ProcessKeeper | undefined {
    const candidates = this.#kept.all.filter(({ isStopped }) => !isStopped);
    const shuffled = this.#random.shuffled(candidates);
    return this.#random.chance(startingShare) ? shuffled[0] : shuffled.find(({ isUp }) => isUp);
  }

  #stop(victim: ProcessKeeper): void {
    const stopMs = this.#random.integer(leastStopMs, mostStopMs);
    this.#kept.stop(victim, stopMs, this.#random.chance(killedAfterStopShare));
  }

  async #terminate(): Promise<void> {
    const { cluster, history } = this.options;
    const most = this.#random.integer(1, mostTerminated);
    const { length: backends } = await cluster.query<{ pid: number }>(terminate, [most]);
    if (backends === 0) return;
    history.append({ type: 'terminate', backends });
    this.#kept.noteFault();
  }

  /** A session that holds what admissions need; its end lets them go on. */
  async #hold(): Promise<pg.Client | undefined> {
    const holder = new pg.Client({ connectionString: this.options.cluster.databaseUrl });
    holder.on('error', () => undefined);
    try {
      await holder.connect();
      await holder.query(`BEGIN; SET LOCAL lock_timeout = '300ms'`);
      await holder.query(this.#random.pick(holds));
      return holder;
    } catch {
      await holder.end();
      return undefined;
    }
  }
}
