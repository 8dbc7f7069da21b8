import { spawnSync } from 'node:child_process';

export type ForeignAvailability = { readonly available: true } | { readonly available: false; readonly reason: string };

const tools = {
  'Python with pip': ['python3', '-m', 'pip', '--version'],
  Go: ['go', 'version'],
} as const;

/** The search path of the tools: an installed Go is often not in it. */
export const foreignPath = `${process.env['PATH'] ?? ''}:/usr/local/go/bin`;

/** Whether tests can have the tool chains of other languages, with which they run the public libraries of those. */
export function foreignAvailability(): ForeignAvailability {
  const env = { ...process.env, PATH: foreignPath };
  const missing = Object.entries(tools).filter(
    ([, [command, ...args]]) => spawnSync(command, args, { env, stdio: 'ignore' }).status !== 0,
  );
  if (missing.length === 0) return { available: true };
  return { available: false, reason: `no ${missing.map(([name]) => name).join(' and no ')}` };
}
