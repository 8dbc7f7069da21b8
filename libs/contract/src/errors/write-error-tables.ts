import { readFile, writeFile } from 'node:fs/promises';
import { withErrorTables } from './error-tables.js';

/** Writes the tables of the catalogue into documents: `node dist/libs/contract/src/errors/write-error-tables.js docs/errors.md docs/idempotency.md` */
async function main(paths: readonly string[]): Promise<void> {
  if (paths.length === 0) throw new Error('usage: write-error-tables <document>...');
  for (const path of paths) await writeFile(path, withErrorTables(await readFile(path, 'utf8')));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
