import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ChildSettings } from './confinement/child-command.js';
import type { Confinement, MissingCapability } from './confinement/confinement.js';
import { findConfinement, missingFrom, unconfined } from './confinement/confinement.js';
import { DocumentChild } from './document-child.js';
import type { DocumentResult, DocumentTask } from './document-task.js';
import { residentBytes } from './proc/process-use.js';
import { runInChild } from './run-in-child.js';
import { Slots } from './slots.js';
import type { TaskLimits } from './task-watch.js';

/** What the pool writes to; a pino logger is one. */
export interface DocumentPoolLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/**
 * One process may have `memoryBytes` in RAM, of which it needs 90 MiB before its first document. One task may take `timeoutMs` from the moment
 * a process has it, and as much processor time; all its inputs together may have `maxPages`, all its outputs be `maxOutputs` of `maxOutputBytes`.
 */
export interface DocumentPoolOptions extends TaskLimits {
  /** How many tasks run at once, each in a process of its own. */
  readonly size: number;
  /** Where each task has a temporary directory. */
  readonly temporaryRoot: string;
  readonly log: DocumentPoolLog;
  /** After how many tasks a process is replaced by a fresh one. */
  readonly tasksPerChild?: number;
  /** How long a process beyond the first may wait for work before it is ended. */
  readonly idleMs?: number;
  /** The built file that the processes run, if not that of this library. */
  readonly childEntry?: string;
}

const defaultTasksPerChild = 100;
/** How much of its memory a process may have when it takes a task; it needs 90 MiB before its first. */
const mostKeptShare = 0.6;
const defaultIdleMs = 10_000;
/** What a task may use of the processor without its process being replaced, with what starting takes; in a whole life, the longest task apart. */
const ordinaryTaskMs = 1_500;
/** A process that is not ready by then never will be. */
const startTimeoutMs = 30_000;

/**
 * Runs document operations in child processes, because documents may be hostile: they hang, they fill the memory, they crash
 * the process. One process works on one task at a time and is used again only after an orderly answer.
 */
export class DocumentPool {
  private readonly slots: Slots;
  private readonly children = new Set<DocumentChild>();
  /** Ready or starting, without a task; the last is taken first. */
  private readonly idle: DocumentChild[] = [];
  private readonly idleTimers = new Map<DocumentChild, NodeJS.Timeout>();
  private readonly running = new Set<Promise<DocumentResult>>();
  private confinement: Confinement = unconfined;
  private found: Promise<void> | null = null;
  private closed = false;

  constructor(private readonly options: DocumentPoolOptions) {
    this.slots = new Slots(options.size);
  }

  /** What this system lacks to shut the processes in; known as soon as one was started. */
  get missing(): readonly MissingCapability[] {
    return this.found === null ? [] : missingFrom(this.confinement);
  }

  /** Waits for a free slot and runs the task. The signal ends it, waiting or running, with `stopped`; so does `close`. */
  async run(task: DocumentTask, signal?: AbortSignal): Promise<DocumentResult> {
    if (!(await this.slots.take(signal))) return { outcome: 'stopped' };
    const result = this.runInSlot(task, signal);
    this.running.add(result);
    try {
      return await result;
    } finally {
      this.running.delete(result);
      this.slots.giveBack();
    }
  }

  /** Starts one process, if none waits for work, and resolves when one can take a task at once. */
  async warm(): Promise<void> {
    await this.findConfinement();
    if (this.closed) return;
    if (this.idle.length === 0) this.addIdle(this.startChild());
    const ready = await Promise.all(this.idle.map((child) => isReady(child)));
    if (!ready.includes(true)) throw new Error('No process for documents could be started.');
  }

  /** Ends all processes and resolves when they are gone; running and waiting tasks come to `stopped`. */
  async close(): Promise<void> {
    this.closed = true;
    this.slots.clear();
    for (const child of this.idle.splice(0)) this.forgetIdle(child);
    for (const child of this.children) child.kill();
    await Promise.all([...this.children].map((child) => child.ended));
    await Promise.allSettled(this.running);
  }

  private async runInSlot(task: DocumentTask, signal?: AbortSignal): Promise<DocumentResult> {
    await this.findConfinement();
    if (this.closed) return { outcome: 'stopped' };
    const child = this.takeChild();
    try {
      const result = await this.runIn(child, task, signal);
      return this.closed ? { outcome: 'stopped' } : result;
    } finally {
      this.putBack(child);
    }
  }

  /** Once: what a system has does not change while a process lives. */
  private findConfinement(): Promise<void> {
    this.found ??= findConfinement().then((confinement) => {
      this.confinement = confinement;
      const missing = missingFrom(confinement);
      if (missing.length > 0) this.options.log.warn({ missing }, 'documents.not-confined');
    });
    return this.found;
  }

  private async runIn(child: DocumentChild, task: DocumentTask, signal?: AbortSignal): Promise<DocumentResult> {
    if (!(await isReady(child))) {
      const { reason } = await child.ended;
      return { outcome: 'broken', reason };
    }
    if (signal?.aborted === true) return { outcome: 'stopped' };
    const isBounded = !this.missing.includes('resource_limits');
    const isCrowded = (): boolean => this.running.size > availableParallelism();
    return runInChild(child, task, { ...this.options, isBounded, isCrowded }, signal);
  }

  private takeChild(): DocumentChild {
    for (let child = this.idle.pop(); child !== undefined; child = this.idle.pop()) {
      this.forgetIdle(child);
      if (child.alive) return child;
    }
    return this.startChild();
  }

  private startChild(): DocumentChild {
    const child = new DocumentChild(this.childSettings());
    this.children.add(child);
    void child.ended.then(() => {
      this.children.delete(child);
      this.dropIdle(child);
      this.logOutput(child);
    });
    return child;
  }

  private childSettings(): ChildSettings {
    const { childEntry, memoryBytes, maxOutputBytes, timeoutMs, tasksPerChild = defaultTasksPerChild } = this.options;
    return {
      entry: childEntry ?? fileURLToPath(new URL('../child/main.js', import.meta.url)),
      confinement: this.confinement,
      memoryBytes,
      maxFileBytes: maxOutputBytes,
      lifetimeMs: timeoutMs + tasksPerChild * ordinaryTaskMs,
      directory: this.options.temporaryRoot,
    };
  }

  /** A child that gave an orderly answer is used again; for any other, and for one that is used up, a fresh one is started. */
  private putBack(child: DocumentChild): void {
    this.logOutput(child);
    if (this.closed) return;
    const { tasksPerChild = defaultTasksPerChild } = this.options;
    if (child.isUsable && child.tasksTaken < tasksPerChild && !this.keepsMuch(child)) {
      this.addIdle(child);
      return;
    }
    child.kill();
    if (child.tasksTaken > 0) this.addIdle(this.startChild());
  }

  /** Memory that one task leaves behind would be missing in the next. */
  private keepsMuch(child: DocumentChild): boolean {
    const resident = child.pid === undefined ? null : residentBytes(child.pid);
    return resident !== null && resident > this.options.memoryBytes * mostKeptShare;
  }

  private addIdle(child: DocumentChild): void {
    this.idle.push(child);
    const expire = (): void => {
      if (this.idle.length > 1 && this.dropIdle(child)) child.kill();
    };
    this.idleTimers.set(child, setTimeout(expire, this.options.idleMs ?? defaultIdleMs).unref());
  }

  private dropIdle(child: DocumentChild): boolean {
    const index = this.idle.indexOf(child);
    if (index === -1) return false;
    this.idle.splice(index, 1);
    this.forgetIdle(child);
    return true;
  }

  private forgetIdle(child: DocumentChild): void {
    clearTimeout(this.idleTimers.get(child));
    this.idleTimers.delete(child);
  }

  private logOutput(child: DocumentChild): void {
    const output = child.takeOutput();
    if (output === null) return;
    const fields = { childPid: child.pid, output: output.text, characters: output.characters };
    if (child.alive) this.options.log.info(fields, 'documents.child-printed');
    else this.options.log.warn(fields, 'documents.child-ended');
  }
}

/** Whether the child is ready for a task; one that takes too long over it is ended. */
async function isReady(child: DocumentChild): Promise<boolean> {
  const tooLate = setTimeout(() => child.kill(), startTimeoutMs);
  try {
    return await child.ready;
  } finally {
    clearTimeout(tooLate);
  }
}
