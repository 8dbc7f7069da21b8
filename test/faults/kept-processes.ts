import { setTimeout as pause } from 'node:timers/promises';
import type { Role } from '../support/cluster.js';
import type { History } from '../support/history.js';
import type { SupervisedProcess } from '../support/supervisor.js';
import { type KeeperOptions, ProcessKeeper } from './process-keeper.js';
import type { SeededRandom } from './random.js';

export interface KeptProcessesOptions {
  readonly processes: readonly SupervisedProcess[];
  /** How many faults are wanted. */
  readonly faults: number;
  readonly history: History;
  readonly random: SeededRandom;
  /** When the processes of a role are killed by themselves. */
  readonly momentsOf: (role: Role) => Pick<KeeperOptions, 'points' | 'mostTimes'>;
  /** How many faults are on their way that are none of a process. */
  readonly dueElsewhere?: () => number;
}

/** The processes that a run breaks, and how many faults were done. What is killed is started again at once. */
export class KeptProcesses {
  readonly all: readonly ProcessKeeper[];
  #faults = 0;
  #stopping: Promise<void> = Promise.resolve();

  constructor(private readonly options: KeptProcessesOptions) {
    const { processes, history, random, momentsOf } = options;
    const common = { history, onKilled: () => this.noteFault(), mayArm: () => this.isFree };
    this.all = processes.map((kept) => {
      const { name } = kept.spec;
      const moments = momentsOf(name.split('-')[0] as Role);
      return new ProcessKeeper({ ...common, ...moments, kept, random: random.fork(name) });
    });
  }

  get faults(): number {
    return this.#faults;
  }

  /** Whether there are more faults to do than are on their way. */
  get isFree(): boolean {
    const { faults, dueElsewhere = () => 0 } = this.options;
    const due = this.all.filter(({ isArmed, isStopped }) => isArmed || isStopped);
    return this.#faults + due.length + dueElsewhere() < faults;
  }

  get isDone(): boolean {
    return this.#faults >= this.options.faults;
  }

  get isOneStopped(): boolean {
    return this.all.some(({ isStopped }) => isStopped);
  }

  /** Counts a fault that is no kill. */
  noteFault(): void {
    this.#faults += 1;
  }

  start(): void {
    for (const keeper of this.all) keeper.start();
  }

  /** Kills one that would end by itself later. */
  killArmed(): void {
    this.all.find(({ isArmed, isStopped }) => isArmed && !isStopped)?.kill();
  }

  /** Stops a process, if none is stopped; after so long it is killed or goes on, which is a fault. */
  stop(victim: ProcessKeeper | undefined, ms: number, isKilledThen: boolean): void {
    if (victim === undefined || this.isOneStopped) return;
    victim.stop();
    this.#stopping = pause(ms).then(() => {
      if (isKilledThen) victim.kill();
      else if (victim.goOn()) this.noteFault();
    });
  }

  /** Resolves when every process works again; they are left alone from then on. */
  async end(): Promise<void> {
    await this.#stopping;
    await Promise.all(this.all.map((keeper) => keeper.end()));
  }
}
