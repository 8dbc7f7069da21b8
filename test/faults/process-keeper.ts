import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { FailpointName } from '#libs/failpoints';
import { readyLine, type Role } from '../support/cluster.js';
import type { History } from '../support/history.js';
import { monotonicMs } from '../support/monotonic-ms.js';
import type { LogLine, SupervisedProcess } from '../support/supervisor.js';
import type { SeededRandom } from './random.js';

export interface KeeperOptions {
  readonly kept: SupervisedProcess;
  readonly history: History;
  readonly random: SeededRandom;
  /** Named moments at which it is killed, for which it is armed as it starts again. */
  readonly points: readonly FailpointName[];
  /** How often such a moment may pass before the kill. */
  readonly mostTimes: number;
  readonly onKilled: () => void;
  readonly mayArm: () => boolean;
}

const armedShare = 0.6;
const readyWithinMs = 60_000;

/** Keeps one process running, and knows why it ended. */
export class ProcessKeeper {
  readonly #points: FailpointName[] = [];
  #armedWith: FailpointName | undefined;
  #ready: LogLine | undefined;
  #isKilled = false;
  #isKept = true;
  #leaving = manyListeners(new AbortController());
  #isStopped = false;

  constructor(private readonly options: KeeperOptions) {}

  get name(): string {
    return this.options.kept.spec.name;
  }

  /** Of its latest run. */
  get pid(): number {
    return this.options.kept.pid;
  }

  get role(): Role {
    return this.name.split('-')[0] as Role;
  }

  /** How long its latest run has been working, in milliseconds; -1 while it starts. */
  get workedMs(): number {
    const { end, logs, pid } = this.options.kept;
    if (end !== undefined) return -1;
    // Looked up once: the line is forgotten when many have followed it.
    if (this.#ready?.pid !== pid) this.#ready = logs.find((line) => line.pid === pid && saysReady(line));
    return this.#ready === undefined ? -1 : Date.now() - this.#ready.at;
  }

  /** Whether it can answer. */
  get isUp(): boolean {
    return !this.#isStopped && this.workedMs >= 0;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether it will end by itself. */
  get isArmed(): boolean {
    return this.#armedWith !== undefined;
  }

  /** Aborted when the process is stopped the next time. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
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

  /** SIGSTOP: it neither works nor ends, and its connections stay open. */
  stop(): void {
    const { kept, history } = this.options;
    if (!kept.kill('SIGSTOP')) return;
    this.#isStopped = true;
    history.append({ type: 'stop', process: this.name, pid: kept.pid, monotonicMs: monotonicMs() });
    this.#leaving.abort();
    this.#leaving = manyListeners(new AbortController());
  }

  /** SIGCONT. Tells whether it was there to go on. */
  goOn(): boolean {
    const { kept, history } = this.options;
    if (!this.#isStopped || !kept.kill('SIGCONT')) return false;
    this.#isStopped = false;
    history.append({ type: 'continue', process: this.name, pid: kept.pid, monotonicMs: monotonicMs() });
    return true;
  }

  /** Waits until it works, and leaves it alone. */
  async end(): Promise<void> {
    const { kept } = this.options;
    while (kept.end !== undefined) await pause(20);
    await kept.waitForLog(saysReady, { withinMs: readyWithinMs });
    this.#isKept = false;
  }

  async #keep(): Promise<void> {
    const { kept, history } = this.options;
    while (this.#isKept) {
      const { pid } = kept;
      void this.#noteReady(pid);
      const { code, signal } = await kept.exited;
      if (!this.#isKept) return;
      this.#noteEnd(pid, code, signal);
      kept.restart(this.#nextEnvironment());
      history.append({ type: 'start', process: kept.spec.name, pid: kept.pid });
    }
  }

  async #noteReady(pid: number): Promise<void> {
    const { kept, history } = this.options;
    const isReady = kept.waitForLog(saysReady, { withinMs: readyWithinMs }).then(
      () => true,
      () => false,
    );
    if ((await isReady) && kept.pid === pid) history.append({ type: 'ready', process: this.name, pid });
  }

  #noteEnd(pid: number, code: number | null, signal: NodeJS.Signals | null): void {
    const { history, onKilled } = this.options;
    const process = this.name;
    const point = this.#isKilled ? undefined : this.#armedWith;
    this.#armedWith = undefined;
    this.#isKilled = false;
    this.#isStopped = false;
    if (signal === 'SIGKILL') {
      const moment = point === undefined ? {} : { point };
      history.append({ type: 'kill', process, pid, signal, ...moment, monotonicMs: monotonicMs() });
      onKilled();
    } else {
      history.append({ type: 'end', process, pid, code, signal });
    }
  }

  #nextEnvironment(): Readonly<Record<string, string>> {
    const { mayArm, random, mostTimes } = this.options;
    if (!mayArm() || !random.chance(armedShare)) return {};
    this.#armedWith = this.#nextPoint();
    return { FAILPOINT: `${this.#armedWith}:kill:${random.integer(1, mostTimes)}` };
  }

  #nextPoint(): FailpointName | undefined {
    if (this.#points.length === 0) this.#points.push(...this.options.random.shuffled(this.options.points));
    return this.#points.shift();
  }
}

function saysReady({ fields }: LogLine): boolean {
  return fields?.['msg'] === readyLine;
}

/** As many listen as requests are open. */
function manyListeners(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal);
  return controller;
}
