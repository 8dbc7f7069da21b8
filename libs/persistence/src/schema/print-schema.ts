import { Database } from '../database/database.js';
import { dumpSchema } from './dump-schema.js';

/** Prints the schema of the database at a URL: `node dist/libs/persistence/src/schema/print-schema.js postgres://...` */
async function main(url: string | undefined): Promise<void> {
  if (url === undefined) throw new Error('usage: print-schema <postgres URL>');
  const database = new Database({ url, purpose: 'work', poolSize: 1 });
  try {
    process.stdout.write(await dumpSchema(database));
  } finally {
    await database.close();
  }
}

main(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
