import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { ChildAnswer, TaskMessage } from '../child/protocol.js';
import { readChildMessage } from '../child/protocol.js';
import { OutputTail } from './output-tail.js';

const keptOutputCharacters = 8_192;
const outOfMemory = /heap out of memory|heap limit|allocation failed|invalid (array|table|size)/i;

export interface ChildSettings {
  /** The built file that the process runs. */
  readonly entry: string;
  readonly heapBytes: number;
  readonly temporaryRoot: string;
}

/** How the process ended. */
export interface ChildEnd {
  readonly type: 'ended';
  readonly outOfMemory: boolean;
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

  constructor(settings: ChildSettings) {
    this.process = start(settings);
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => this.output.add(chunk));
    }
    this.ended = new Promise((resolve) => {
      this.process.once('error', (error) => resolve(this.finish(`could not be started: ${error.message}`)));
      this.process.once('close', (code, signal) => resolve(this.finish(`ended with ${signal ?? `exit code ${code}`}`)));
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

  private finish(reason: string): ChildEnd {
    this.end ??= {
      type: 'ended',
      outOfMemory: outOfMemory.test(this.output.peek()),
      reason: `The child process ${reason}.`,
    };
    return this.end;
  }
}

function start({ entry, heapBytes, temporaryRoot }: ChildSettings): ChildProcess {
  const heapMebibytes = Math.max(1, Math.floor(heapBytes / 2 ** 20));
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMebibytes}`, entry], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    cwd: temporaryRoot,
    env: { TMPDIR: temporaryRoot },
  });
  const leash = child.stdio[4];
  leash?.on('error', () => undefined);
  if (leash !== null && leash !== undefined && 'resume' in leash) leash.resume();
  return child;
}
