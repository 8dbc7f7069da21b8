import { setTimeout as pause } from 'node:timers/promises';
import { type FailpointName } from '#libs/domain';
import type { History } from '../support/history.js';
import { readyLine, type Role } from '../support/cluster.js';
import type { LogLine, SupervisedProcess } from '../support/supervisor.js';
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

const armedShare = 0.6;
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
const readyWithinMs = 60_000;

/**
 * Kills processes until so many are dead: at random moments, and at named ones, for which a process that is started again is armed. Every
 * victim is started again at once.
 */
export class KillProcesses {
  readonly #random: SeededRandom;
  readonly #keepers: readonly ProcessKeeper[];
  #kills = 0;

  constructor(private readonly options: KillOptions) {
    const { processes, history, random } = options;
    this.#random = random.fork('kills');
    const onKilled = (): void => void (this.#kills += 1);
    const mayArm = (): boolean => this.#isFree;
    this.#keepers = processes.map(
      (kept) => new ProcessKeeper({ kept, history, random: random.fork(kept.spec.name), onKilled, mayArm }),
    );
  }

  /** How many are dead so far. */
  get kills(): number {
    return this.#kills;
  }

  /** Resolves when the last kill is done and every process works again. */
  async run(signal: AbortSignal): Promise<void> {
    for (const keeper of this.#keepers) keeper.start();
    while (this.#kills < this.options.kills && !signal.aborted) {
      await pause(this.#random.integer(leastPauseMs, mostPauseMs));
      await this.#someJobs();
      this.#victim()?.kill();
    }
    await Promise.all(this.#keepers.map((keeper) => keeper.end()));
  }

  async #someJobs(): Promise<void> {
    const { endedJobs } = this.options;
    const wanted = endedJobs() + this.#random.integer(0, mostJobsBetween);
    const until = performance.now() + longestWaitMs;
    while (endedJobs() < wanted && performance.now() < until) await pause(20);
  }

  /** Whether there are more kills to do than processes that will die by themselves. */
  get #isFree(): boolean {
    return this.#kills + this.#keepers.filter(({ isArmed }) => isArmed).length < this.options.kills;
  }

  #victim(): ProcessKeeper | undefined {
    const workMs = this.#random.chance(evenUnreadyShare) ? -1 : this.#random.integer(0, mostWorkMs);
    const ready = this.#keepers.filter((keeper) => keeper.workedMs >= workMs);
    const candidates = this.#random.shuffled(this.#isFree ? ready : ready.filter(({ isArmed }) => isArmed));
    const role = this.#role();
    return candidates.find((keeper) => keeper.role === role) ?? candidates[0];
  }

  #role(): Role | undefined {
    let left = this.#random.next();
    return shares.find(([, share]) => (left -= share) < 0)?.[0];
  }
}

interface KeeperOptions {
  readonly kept: SupervisedProcess;
  readonly history: History;
  readonly random: SeededRandom;
  readonly onKilled: () => void;
  readonly mayArm: () => boolean;
}

/** Keeps one process running, and knows why it ended. */
class ProcessKeeper {
  readonly #points: FailpointName[] = [];
  #armedWith: FailpointName | undefined;
  #ready: LogLine | undefined;
  #isKilled = false;
  #isKept = true;

  constructor(private readonly options: KeeperOptions) {}

  /** How long its latest run has been working, in milliseconds; -1 while it starts. */
  get workedMs(): number {
    const { end, logs, pid } = this.options.kept;
    if (end !== undefined) return -1;
    // Looked up once: the line is forgotten when many have followed it.
    if (this.#ready?.pid !== pid) this.#ready = logs.find((line) => line.pid === pid && this.#saysReady(line));
    return this.#ready === undefined ? -1 : Date.now() - this.#ready.at;
  }

  /** Whether it will end by itself. */
  get isArmed(): boolean {
    return this.#armedWith !== undefined;
  }

  start(): void {
    void this.#keep();
  }

  kill(): void {
    const { kept } = this.options;
    if (kept.end !== undefined) return;
    this.#isKilled = true;
    kept.kill('SIGKILL');
  }

  /** Waits until it works, and leaves it alone. */
  async end(): Promise<void> {
    const { kept } = this.options;
    while (kept.end !== undefined) await pause(20);
    await kept.waitForLog((line) => this.#saysReady(line), { withinMs: readyWithinMs });
    this.#isKept = false;
  }

  get role(): Role {
    return this.options.kept.spec.name.split('-')[0] as Role;
  }

  #saysReady({ fields }: LogLine): boolean {
    return fields?.['msg'] === readyLine;
  }

  async #keep(): Promise<void> {
    const { kept, history } = this.options;
    while (this.#isKept) {
      const { pid } = kept;
      const { code, signal } = await kept.exited;
      if (!this.#isKept) return;
      this.#noteEnd(pid, code, signal);
      kept.restart(this.#nextEnvironment());
      history.append({ type: 'start', process: kept.spec.name, pid: kept.pid });
    }
  }

  #noteEnd(pid: number, code: number | null, signal: NodeJS.Signals | null): void {
    const { history, kept, onKilled } = this.options;
    const process = kept.spec.name;
    const point = this.#isKilled ? undefined : this.#armedWith;
    this.#armedWith = undefined;
    this.#isKilled = false;
    if (signal === 'SIGKILL') {
      history.append({ type: 'kill', process, pid, signal, ...(point === undefined ? {} : { point }) });
      onKilled();
    } else {
      history.append({ type: 'end', process, pid, code, signal });
    }
  }

  #nextEnvironment(): Readonly<Record<string, string>> {
    const { mayArm, random } = this.options;
    if (!mayArm() || !random.chance(armedShare)) return {};
    this.#armedWith = this.#nextPoint();
    return { FAILPOINT: `${this.#armedWith}:kill:${random.integer(1, mostTimes[this.role])}` };
  }

  #nextPoint(): FailpointName | undefined {
    if (this.#points.length === 0) this.#points.push(...this.options.random.shuffled(pointsOf[this.role]));
    return this.#points.shift();
  }
}
