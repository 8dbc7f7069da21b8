import { parseArgs } from 'node:util';
import { SettingsError } from '#libs/contract';

/** A command of the command line. */
export interface Command {
  readonly usage: string;
  readonly about: string;
  readonly options: Readonly<Record<string, { readonly type: 'string'; readonly about: string }>>;
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
    const { help, ...given } = values as Readonly<Record<string, string | undefined>> & { readonly help?: unknown };
    if (help === true) console.log(helpOf(command));
    else await run(given, positionals);
  } catch (error) {
    const lines =
      error instanceof SettingsError ? error.problems : [error instanceof Error ? error.message : String(error)];
    for (const line of lines) console.error(line);
    process.exitCode = 1;
  }
}

function helpOf({ usage, about, options }: Command): string {
  const lines = Object.entries(options).map(([name, option]) => `  --${name.padEnd(20)} ${option.about}`);
  return [about, '', `  ${usage}`, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
}
