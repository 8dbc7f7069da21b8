import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { killWithThisProcess } from './kill-with-this-process.js';

/** How to start a Node process. */
export interface ProcessSpec {
  /** Unique among the processes of a supervisor. */
  readonly name: string;
  /** The JavaScript file that Node runs. */
  readonly entry: string;
  readonly args?: readonly string[];
  /** Options of Node itself, such as `--import`. */
  readonly nodeOptions?: readonly string[];
  /** Added to the environment of this process; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One line a process wrote; `fields` when it was a JSON object. */
export interface LogLine {
  readonly at: number;
  readonly pid: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

interface Run {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<ProcessEnd>;
  end?: ProcessEnd;
}

const keptLines = 2_000;
const pollMs = 20;
const stopWithinMs = 15_000;
const outputWithinMs = 200;

/** A named process that can be killed and started again. `pid`, `exited` and `end` are those of its latest run. */
export class SupervisedProcess {
  /** The newest 2000 lines of all its runs, oldest first. */
  readonly logs: LogLine[] = [];
  #run: Run;
  readonly #file: WriteStream | undefined;

  constructor(
    readonly spec: ProcessSpec,
    logFile?: string,
  ) {
    this.#file = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' });
    this.#run = this.#start();
  }

  get pid(): number {
    return this.#run.pid;
  }

  /** Resolves when the latest run has ended and what it wrote was read; never rejects. */
  get exited(): Promise<ProcessEnd> {
    return this.#run.exited;
  }

  /** How the latest run ended; undefined while it runs. */
  get end(): ProcessEnd | undefined {
    return this.#run.end;
  }

  /** Sends a signal to the process alone, as `kill` in a shell does, and tells whether it was there to get it. */
  kill(signal: NodeJS.Signals): boolean {
    return this.end === undefined && this.#run.child.kill(signal);
  }

  /** Sends a signal to the process and all its descendants in its group. */
  killGroup(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Starts it again as it was, with changes to its environment if given. The run before must have ended. */
  restart(env: ProcessSpec['env'] = {}): void {
    if (this.end === undefined) throw new Error(`${this.spec.name} (process ${this.pid}) still runs`);
    this.#run = this.#start(env);
  }

  /** SIGTERM, then SIGKILL to the whole group; resolves when it has ended. */
  async stop(withinMs = stopWithinMs): Promise<ProcessEnd> {
    this.kill('SIGTERM');
    await Promise.race([this.exited, pause(withinMs, undefined, { ref: false })]);
    this.killGroup('SIGKILL');
    return this.exited;
  }

  /** Waits until a GET of the URL is answered with 2xx. Rejects, with the latest lines, when the process ends or time is up. */
  async waitForReady(url: string, { withinMs = 10_000 } = {}): Promise<void> {
    await this.#waitFor(`answer of ${url}`, withinMs, () =>
      fetch(url, { signal: AbortSignal.timeout(withinMs) }).then(
        (response) => response.body?.cancel().then(() => response.ok) ?? response.ok,
        () => false,
      ),
    );
  }

  /** Waits for a line of the latest run that matches, old lines included. */
  async waitForLog(matches: (line: LogLine) => boolean, { withinMs = 10_000 } = {}): Promise<LogLine> {
    const find = (): LogLine | undefined => this.logs.find((line) => line.pid === this.pid && matches(line));
    await this.#waitFor('log line', withinMs, () => find() !== undefined, find);
    return find() as LogLine;
  }

  /** Waits for the end of the latest run. Rejects, with the latest lines, when it is not the one expected. */
  async waitForEnd(expected: ProcessEnd): Promise<void> {
    const { code, signal } = await this.exited;
    if (code !== expected.code || signal !== expected.signal)
      throw this.#failure(`did not end with ${expected.signal ?? `exit code ${expected.code}`}`);
  }

  async #waitFor(
    what: string,
    withinMs: number,
    check: () => boolean | Promise<boolean>,
    afterEnd: () => unknown = () => undefined,
  ): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!(await check())) {
      if (this.end !== undefined && afterEnd() === undefined) throw this.#failure(`ended before: ${what}`);
      if (performance.now() > deadline) throw this.#failure(`no ${what} within ${withinMs} ms`);
      await pause(pollMs);
    }
  }

  #failure(what: string): Error {
    const lines = this.logs.slice(-20).map((line) => line.text);
    return new Error(
      `${this.spec.name} (process ${this.pid}, ${JSON.stringify(this.end)}): ${what}\n${lines.join('\n')}`,
    );
  }

  #start(env: ProcessSpec['env'] = {}): Run {
    const { entry, args = [], nodeOptions = [], cwd } = this.spec;
    const child = spawn(process.execPath, [...nodeOptions, entry, ...args], {
      env: { ...process.env, NODE_OPTIONS: '', ...this.spec.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    child.on('error', () => undefined);
    if (child.pid === undefined) throw new Error(`${this.spec.name} could not be started in ${cwd ?? process.cwd()}`);
    const forget = killWithThisProcess(child.pid);
    const exited = endOf(child, (end) => {
      forget();
      run.end = end;
    });
    const run: Run = { child, pid: child.pid, exited };
    this.#capture(child, child.pid);
    return run;
  }

  #capture(child: ChildProcess, pid: number): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const input = child[stream];
      if (input === null) continue;
      createInterface({ input }).on('line', (text) => {
        this.logs.push({ at: Date.now(), pid, stream, text, ...fieldsOf(text) });
        if (this.logs.length > keptLines) this.logs.shift();
        this.#file?.write(`${text}\n`);
      });
    }
  }
}

/** A descendant may hold the output open after the end, so it is waited for only a moment. */
async function endOf(child: ChildProcess, onEnd: (end: ProcessEnd) => void): Promise<ProcessEnd> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = await new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      onEnd({ code, signal });
      resolve({ code, signal });
    });
  });
  await Promise.race([closed, pause(outputWithinMs)]);
  return end;
}

function fieldsOf(text: string): { fields?: Record<string, unknown> } {
  if (!text.startsWith('{')) return {};
  try {
    return { fields: JSON.parse(text) as Record<string, unknown> };
  } catch {
    return {};
  }
}

/** Starts, kills and restarts named Node processes; all of them end with this process. */
export class Supervisor {
  readonly #processes = new Map<string, SupervisedProcess>();

  /** @param logDirectory when given, each process' output is also appended to `<logDirectory>/<name>.log` */
  constructor(private readonly logDirectory?: string) {
    if (logDirectory !== undefined) mkdirSync(logDirectory, { recursive: true });
  }

  start(spec: ProcessSpec): SupervisedProcess {
    if (this.#processes.has(spec.name)) throw new Error(`${spec.name} was started before: restart it`);
    const logFile = this.logDirectory === undefined ? undefined : join(this.logDirectory, `${spec.name}.log`);
    const started = new SupervisedProcess(spec, logFile);
    this.#processes.set(spec.name, started);
    return started;
  }

  get(name: string): SupervisedProcess {
    const found = this.#processes.get(name);
    if (found === undefined) throw new Error(`no process ${name}`);
    return found;
  }

  /** Stops every process, all at once. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.#processes.values()].map((each) => each.stop()));
    this.#processes.clear();
  }
}
