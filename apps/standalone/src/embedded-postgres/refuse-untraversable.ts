import { dirname } from 'node:path';
import { runProgram, type SystemUser } from './run-program.js';

const firstBarrier = 'for path do test -x "$path" || { printf %s "$path"; exit 1; }; done';

/**
 * Asks the kernel, as the server's user, whether each directory down to each path can be entered, and the path itself
 * executed (a directory: entered).
 *
 * @throws Error that names the barrier and the remedy
 */
export async function refuseUntraversable(paths: readonly string[], user: SystemUser): Promise<void> {
  const ways = [...new Set(paths.flatMap(withAncestors))].sort((a, b) => a.length - b.length);
  const { code, output } = await runProgram('/bin/sh', ['-c', firstBarrier, 'sh', ...ways], { cwd: '/', user });
  if (code === 0) return;
  throw new Error(
    `Postgres does not run as root, and its system user (uid ${user.uid}) may not enter ${output}: ` +
      `let it pass (chmod o+x ${output}), move it to a place every user can enter, or start as a user other than root`,
  );
}

function withAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...withAncestors(parent), path];
}
