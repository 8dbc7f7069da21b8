import { spawn } from 'node:child_process';

/** The system user a program runs as; left out, it runs as the user of this process. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

export interface ProgramResult {
  /** Exit code; null when a signal ended the program. */
  readonly code: number | null;
  /** Standard output and standard error, in the order they arrived. */
  readonly output: string;
}

/** The only environment a Postgres program gets: no PG* variable and no secret of this process reaches it. */
export function bareEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Runs a program to its end. Any exit code is an answer; only a program that could not be started throws.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  where: { cwd: string; user?: SystemUser | undefined },
): Promise<ProgramResult> {
  const child = spawn(file, args, {
    cwd: where.cwd,
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...where.user,
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`cannot run ${file}: ${cause.message}`, { cause })));
    child.once('close', (code) => resolve({ code, output }));
  });
}
