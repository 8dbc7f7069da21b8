import { parseArgs } from 'node:util';

/** What `--help` says of a process. */
export interface ProcessUsage {
  readonly usage: string;
  readonly about: string;
}

/** Whether a process is to start with these arguments, which may be none; `answer` is what is to be printed instead. */
export type CheckedArguments =
  | { readonly kind: 'start' }
  | { readonly kind: 'help'; readonly answer: string }
  | { readonly kind: 'refused'; readonly answer: string };

const settings = 'Its settings come from the environment; docs/settings.md has every one.';

/** A process takes no argument but `--help`: whatever else is given was meant to be a setting. */
export function checkArguments({ usage, about }: ProcessUsage, args: readonly string[]): CheckedArguments {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help !== true) return { kind: 'start' };
    return { kind: 'help', answer: `${about}\n\n  ${usage}\n\n${settings}` };
  } catch (error) {
    return { kind: 'refused', answer: `${(error as Error).message}. ${settings}` };
  }
}
