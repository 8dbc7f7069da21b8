import { readSettings } from '#libs/contract';
import { migrate } from '#libs/persistence';
import { runCommand } from '#libs/process';
import { explained } from './with-database.js';

await runCommand(
  { usage: 'npm run migrate', about: 'Applies the migrations that DATABASE_URL misses.', options: {} },
  async () => {
    const { DATABASE_URL } = readSettings(process.env, ['DATABASE_URL']);
    const applied = await migrate(DATABASE_URL).catch((error: unknown) => {
      throw explained(error);
    });
    for (const name of applied) console.log(`applied ${name}`);
    console.log(applied.length === 0 ? 'nothing to apply' : `${applied.length} migration(s) applied`);
  },
);
