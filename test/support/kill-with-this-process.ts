import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** Reads `+ <group>` and `- <group>` from a pipe whose other end only this process holds, and acts when it closes. */
const watchdogScript = `
trap '' TERM INT HUP
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -TERM "-$group"; done 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
  alive=
  for group in $groups; do kill -0 "-$group" && alive=yes; done 2>/dev/null
  [ -z "$alive" ] && exit
  sleep 1
done
for group in $groups; do kill -KILL "-$group"; done 2>/dev/null
`;

let watchdog: ChildProcess | undefined;

/**
 * Has a process group ended (SIGTERM, after 10 s SIGKILL) when this process ends, in whatever way: an uncaught error and
 * SIGKILL included. The returned function takes that back.
 */
export function killWithThisProcess(group: number): () => void {
  tellWatchdog(`+ ${group}\n`);
  let isForgotten = false;
  return () => {
    if (!isForgotten) tellWatchdog(`- ${group}\n`);
    isForgotten = true;
  };
}

function tellWatchdog(line: string): void {
  watchdog ??= startWatchdog();
  watchdog.stdin?.write(line);
}

function startWatchdog(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', watchdogScript], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}
