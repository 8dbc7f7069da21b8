import { writeFile } from 'node:fs/promises';
import { asyncApi } from '../describe/async-api.js';

/** Writes the AsyncAPI document: `node dist/apps/api/src/cli/write-async-api.js docs/asyncapi.json` */
async function main([path]: readonly string[]): Promise<void> {
  if (path === undefined) throw new Error('usage: write-async-api <document>');
  await writeFile(path, `${JSON.stringify(asyncApi(), null, 2)}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
