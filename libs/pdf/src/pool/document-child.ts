import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { ChildAnswer, TaskMessage } from '../child/protocol.js';
import { readChildMessage } from '../child/protocol.js';
import type { ChildSettings } from './confinement/child-command.js';
import { childCommand } from './confinement/child-command.js';
import { OutputTail } from './output-tail.js';

const keptOutputCharacters = 8_192;
/** How V8, the C++ library and GLib say it. */
const outOfMemory =
  /out of memory|heap limit|allocation failed|invalid (array|table|size)|bad_alloc|unable to grow|failed to allocate/i;

const breakingSignals: readonly NodeJS.Signals[] = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGTRAP', 'SIGILL'];

/** How the process ended; `cause` is the limit that the system held against it, `null` for any other end. */
export interface ChildEnd {
  readonly type: 'ended';
  readonly cause: 'memory' | 'processor' | null;
  /** Whether it died by a signal of its own making, as native code does that meets what it does not expect; none that was sent to it. */
  readonly diedBySignal: boolean;
  readonly reason: string;
}

/**
 * A process that works on hostile documents: a group of its own, no environment, and a pipe that keeps it alive only as long
 * as this process lives. It takes one task at a time.
 */
export class DocumentChild {
  tasksTaken = 0;
  readonly ended: Promise<ChildEnd>;
  /** False if the process ended before it could take a task. */
  readonly ready: Promise<boolean>;
  private readonly process: ChildProcess;
  private readonly output = new OutputTail(keptOutputCharacters);
  private end: ChildEnd | null = null;
  private isSpent = false;

  constructor(settings: ChildSettings) {
    this.process = start(settings);
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => this.output.add(chunk));
    }
    this.ended = new Promise((resolve) => {
      this.process.once('error', (error) => resolve(this.finish(`could not be started: ${error.message}`, null)));
      this.process.once('close', (code, signal) =>
        resolve(this.finish(`ended with ${signal ?? `exit code ${code}`}`, signal)),
      );
    });
    this.ready = new Promise((resolve) => {
      this.onMessage((message) => message?.type === 'ready' && resolve(true));
      void this.ended.then(() => resolve(false));
    });
  }

  get alive(): boolean {
    return this.end === null && this.process.exitCode === null && this.process.signalCode === null;
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Gives the process a task and waits for its answer or its end. An answer that is none ends the process. */
  async ask(task: TaskMessage, onProgress: (done: number, total: number) => void): Promise<ChildAnswer | ChildEnd> {
    if (!(await this.ready)) return this.ended;
    this.tasksTaken += 1;
    let forget: () => void = () => undefined;
    const answered = new Promise<ChildAnswer>((resolve) => {
      forget = this.onMessage((message) => {
        if (message?.type === 'progress') onProgress(message.done, message.total);
        else if (message !== null && message.type !== 'ready') resolve(message);
        else this.kill();
      });
    });
    this.process.send(task, () => undefined);
    try {
      return await Promise.race([answered, this.ended]);
    } finally {
      forget();
    }
  }

  /** Whether it may take another task: it lives, and none of its tasks left traces. */
  get isUsable(): boolean {
    return this.alive && !this.isSpent;
  }

  /** Its last task left traces: its memory is full, or it has been put behind the others. */
  spend(): void {
    this.isSpent = true;
  }

  /** Ends the process and all it may have started; `ended` tells when it is gone. */
  kill(): void {
    if (!this.alive || this.process.pid === undefined) return;
    try {
      process.kill(-this.process.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** What the process wrote to its standard streams since the last taking, at most its last few kilobytes. */
  takeOutput(): { text: string; characters: number } | null {
    return this.output.take();
  }

  private onMessage(listener: (message: ReturnType<typeof readChildMessage>) => void): () => void {
    const onMessage = (message: unknown): void => listener(readChildMessage(message));
    this.process.on('message', onMessage);
    return () => this.process.off('message', onMessage);
  }

  private finish(reason: string, signal: NodeJS.Signals | null): ChildEnd {
    this.end ??= {
      type: 'ended',
      cause: this.causeOf(signal),
      diedBySignal: signal !== null && breakingSignals.includes(signal),
      reason: `The child process ${reason}.`,
    };
    return this.end;
  }

  private causeOf(signal: NodeJS.Signals | null): ChildEnd['cause'] {
    if (signal === 'SIGXCPU') return 'processor';
    return outOfMemory.test(this.output.peek()) ? 'memory' : null;
  }
}

function start(settings: ChildSettings): ChildProcess {
  const [program, ...words] = childCommand(settings);
  const child = spawn(program, words, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    cwd: settings.directory,
    // The task's own directory: a process goes into it for its task.
    env: { TMPDIR: '.' },
  });
  const leash = child.stdio[4];
  leash?.on('error', () => undefined);
  if (leash !== null && leash !== undefined && 'resume' in leash) leash.resume();
  return child;
}
