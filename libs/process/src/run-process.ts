import { constants } from 'node:os';
import { type Environment, readSettings, SettingsError } from '#libs/contract';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { checkArguments, type ProcessUsage } from './check-arguments.js';

/** A process that is up. */
export interface RunningProcess {
  /** How long it may drain, in milliseconds. */
  readonly graceMs: number;
  /** Takes no new work, finishes or hands back what runs, closes what it opened. */
  readonly stop: () => Promise<void>;
  /** Told when draining begins, so that somebody who watches can be told as well. */
  readonly onDrain?: () => void;
}

/** How a process is called in its log, and what it says of itself. */
export interface ProcessDescription extends ProcessUsage {
  readonly name: string;
}

/** Ends a process that can never work, such as one with the wrong storage. */
export type Fail = (error: unknown) => void;

/**
 * Starts a process and drains it on SIGTERM or SIGINT: exit 0 when it stopped within its grace, 1 when it did not or could not start. A second
 * signal ends it at once, with 128 and the number of the signal, as after a crash. Each bad setting is one record of the log. `--help` explains
 * the process instead, and an argument that is anything else is one line on standard error and exit 1.
 */
export async function runProcess(
  { name, ...usage }: ProcessDescription,
  env: Environment,
  start: (log: Logger, fail: Fail) => Promise<RunningProcess>,
): Promise<void> {
  const checked = checkArguments(usage, process.argv.slice(2));
  if (checked.kind === 'help') return console.log(checked.answer);
  if (checked.kind === 'refused') {
    console.error(checked.answer);
    process.exitCode = 1;
    return;
  }
  const log = processLog(name, env);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'process.rejection-unhandled'));
  try {
    const fail: Fail = (error) => {
      log.fatal({ err: error }, 'process.failed');
      process.exit(1);
    };
    drainOnSignal(await start(log, fail), log);
  } catch (error) {
    reportStartFailure(error, log);
    process.exit(1);
  }
}

/** Records are written together, at most so many bytes of them and no later than this: what a killed process loses of its log. */
const logTogether = { minLength: 4_096, periodicFlush: 50 };
/** From `error` on they are written at once. */
const urgentLevel = 50;

/**
 * The log of a process: JSON lines on standard output, to the last one at its exit. A bad LOG_LEVEL is reported with the other settings, at the
 * default level.
 */
export function processLog(name: string, env: Environment): Logger {
  const destination = pino.destination({ dest: process.stdout.fd, sync: false, ...logTogether });
  const logMethod: LogMethod = function (args, method, level) {
    method.apply(this, args);
    if (level >= urgentLevel) destination.flushSync();
  };
  return pino({ level: levelOf(env), base: { process: name, pid: process.pid }, hooks: { logMethod } }, destination);
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

function levelOf(env: Environment): string {
  try {
    return readSettings(env, ['LOG_LEVEL']).LOG_LEVEL;
  } catch {
    return 'info';
  }
}

function reportStartFailure(error: unknown, log: Logger): void {
  if (error instanceof SettingsError) for (const problem of error.problems) log.fatal({ problem }, 'setting.refused');
  else log.fatal({ err: error }, 'process.not-started');
  log.flush();
}

/** npm hands Ctrl-C on to a process that has it from the terminal already: a signal that follows so soon is the same one. */
const sameSignalMs = 500;

function drainOnSignal(running: RunningProcess, log: Logger): void {
  let drainingSince: number | null = null;
  const drain = (signal: NodeJS.Signals): void => {
    if (drainingSince === null) {
      drainingSince = performance.now();
      log.info({ signal, graceMs: running.graceMs }, 'process.draining');
      running.onDrain?.();
      void exitAfter(running, log);
    } else if (performance.now() - drainingSince > sameSignalMs) {
      log.warn({ signal }, 'process.cut-off');
      process.exit(128 + constants.signals[signal]);
    }
  };
  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}

async function exitAfter({ graceMs, stop }: RunningProcess, log: Logger): Promise<void> {
  const tooLate = setTimeout(() => {
    log.error({ graceMs }, 'process.not-drained');
    process.exit(1);
  }, graceMs);
  try {
    await stop();
    clearTimeout(tooLate);
    log.info('process.stopped');
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'process.not-stopped');
    process.exit(1);
  }
}
