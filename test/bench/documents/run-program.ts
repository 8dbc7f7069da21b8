import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { peakBytesOf } from '../process-use.js';
import { bytesIn, type ToolRun } from './tool-run.js';

/** The peak of a process only grows, so that the last look at it is close to the truth. */
const lookEveryMs = 2;

/** qpdf ends with 0, and with 3 when it had to warn of something. */
export const qpdfCodes: readonly number[] = [0, 3];

/** The first line of what a program says of its version; `null` where it is not installed. */
export function programVersion(program: string, args: readonly string[] = ['--version']): string | null {
  const { error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return error === undefined ? ((stdout + stderr).split('\n')[0] ?? program) : null;
}

/** Runs a program that writes into the directory that `args` is given, and measures it. Exit codes of `accepted` are well. */
export async function runProgram(
  program: string,
  args: (outputDirectory: string) => readonly string[],
  { root, accepted = [0] }: { readonly root: string; readonly accepted?: readonly number[] },
): Promise<ToolRun> {
  const outputDirectory = await mkdtemp(join(root, 'program-'));
  try {
    const startedAt = performance.now();
    const child = spawn(program, args(outputDirectory), { stdio: ['ignore', 'ignore', 'pipe'] });
    let peakBytes = 0;
    const look = setInterval(() => {
      void peakBytesOf(child.pid ?? 0).then((bytes) => (peakBytes = Math.max(peakBytes, bytes)));
    }, lookEveryMs);
    const [complaints, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    const wallMs = performance.now() - startedAt;
    clearInterval(look);
    if (!accepted.includes(code as number)) throw new Error(`${program} ended with ${String(code)}: ${complaints}`);
    return { wallMs, peakBytes, outputBytes: await bytesIn(outputDirectory) };
  } finally {
    await rm(outputDirectory, { recursive: true, force: true });
  }
}
