import { setTimeout as pause } from 'node:timers/promises';
import type { FailpointName } from '#libs/failpoints';
import type { History } from '../support/history.js';
import type { Role } from '../support/cluster.js';
import type { SupervisedProcess } from '../support/supervisor.js';
import { KeptProcesses } from './kept-processes.js';
import type { ProcessKeeper } from './process-keeper.js';
import type { SeededRandom } from './random.js';

/** The named moments at which each app is killed. */
const pointsOf: Readonly<Record<Role, readonly FailpointName[]>> = {
  api: ['admission.before-statement', 'admission.after-commit', 'relay.after-publish'],
  worker: ['job.after-claim', 'job.at-work', 'job.after-output-stored', 'job.after-settle', 'relay.after-publish'],
  dispatcher: ['delivery.after-claim', 'delivery.after-answer', 'relay.after-publish'],
};

export interface KillOptions {
  readonly processes: readonly SupervisedProcess[];
  readonly kills: number;
  /** How many jobs have ended so far. */
  readonly endedJobs: () => number;
  readonly history: History;
  readonly random: SeededRandom;
}

/** How often a moment may pass before the kill; requests are many, and an API that dies at once leaves the others no work. */
const mostTimes: Readonly<Record<Role, number>> = { api: 30, worker: 6, dispatcher: 6 };
/** Of the random kills. */
const shares: readonly (readonly [Role, number])[] = [
  ['worker', 0.5],
  ['dispatcher', 0.3],
  ['api', 0.2],
];
const leastPauseMs = 200;
const mostPauseMs = 1_600;
/** Before a kill so many jobs may end, if they do so in time: a slow machine must not be killed out of all work. */
const mostJobsBetween = 6;
const longestWaitMs = 5_000;
/** A random kill leaves its victim so much time for work, at most; some hit a process that still starts. */
const mostWorkMs = 2_500;
const evenUnreadyShare = 0.05;

/**
 * Kills processes until so many are dead: at random moments, and at named ones, for which a process that is started again is armed. Every
 * victim is started again at once.
 */
export class KillProcesses {
  readonly #random: SeededRandom;
  readonly #kept: KeptProcesses;

  constructor(private readonly options: KillOptions) {
    const { processes, kills: faults, history, random } = options;
    this.#random = random.fork('kills');
    const momentsOf = (role: Role) => ({ points: pointsOf[role], mostTimes: mostTimes[role] });
    this.#kept = new KeptProcesses({ processes, faults, history, random, momentsOf });
  }

  /** How many are dead so far. */
  get kills(): number {
    return this.#kept.faults;
  }

  /** Resolves when the last kill is done and every process works again. */
  async run(signal: AbortSignal): Promise<void> {
    this.#kept.start();
    while (!this.#kept.isDone && !signal.aborted) {
      await pause(this.#random.integer(leastPauseMs, mostPauseMs));
      await this.#someJobs();
      this.#victim()?.kill();
    }
    await this.#kept.end();
  }

  async #someJobs(): Promise<void> {
    const { endedJobs } = this.options;
    const wanted = endedJobs() + this.#random.integer(0, mostJobsBetween);
    const until = performance.now() + longestWaitMs;
    while (endedJobs() < wanted && performance.now() < until) await pause(20);
  }

  #victim(): ProcessKeeper | undefined {
    const workMs = this.#random.chance(evenUnreadyShare) ? -1 : this.#random.integer(0, mostWorkMs);
    const ready = this.#kept.all.filter((keeper) => keeper.workedMs >= workMs);
    const candidates = this.#random.shuffled(this.#kept.isFree ? ready : ready.filter(({ isArmed }) => isArmed));
    const role = this.#role();
    return candidates.find((keeper) => keeper.role === role) ?? candidates[0];
  }

  #role(): Role | undefined {
    let left = this.#random.next();
    return shares.find(([, share]) => (left -= share) < 0)?.[0];
  }
}
