import { parseArgs } from 'node:util';
import { SettingsError } from '#libs/contract';

/** A command of the command line. */
export interface Command {
  readonly usage: string;
  readonly about: string;
  /** The words that it begins with, and what each does; without any it needs none. */
  readonly verbs?: Readonly<Record<string, string>>;
  /** One without a value (`boolean`) is given as `true`. */
  readonly options: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly about: string }>>;
}

/** Runs a command: `--help` explains it, an error is one line on standard error and exit 1. */
export async function runCommand(
  command: Command,
  run: (options: Readonly<Record<string, string | undefined>>, words: readonly string[]) => Promise<void>,
): Promise<void> {
  try {
    const { values, positionals } = parseArgs({
      options: { ...command.options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const { help, ...given } = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
    if (help !== undefined) return console.log(helpOf(command));
    checkVerb(command, positionals[0]);
    await run(given, positionals);
  } catch (error) {
    const lines =
      error instanceof SettingsError ? error.problems : [error instanceof Error ? error.message : String(error)];
    for (const line of lines) console.error(line);
    process.exitCode = 1;
  }
}

function checkVerb(command: Command, verb: string | undefined): void {
  if (command.verbs === undefined || (verb !== undefined && Object.hasOwn(command.verbs, verb))) return;
  const known = Object.keys(command.verbs).join(', ');
  throw new Error(verb === undefined ? helpOf(command) : `unknown command ${verb}; there are ${known}`);
}

function helpOf({ usage, about, verbs = {}, options }: Command): string {
  const words = Object.entries(verbs).map(([verb, does]) => `  ${verb.padEnd(22)} ${does}`);
  const named = Object.entries(options).map(([name, option]) => `  --${name.padEnd(20)} ${option.about}`);
  const blocks = [[about], [`  ${usage}`], words, named];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
