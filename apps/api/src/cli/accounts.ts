import { readSettings } from '#libs/contract';
import { AccountEraser } from '#libs/persistence';
import { runCommand } from '#libs/process';
import { withDatabase } from './with-database.js';

const verbs = {
  erase:
    'deletes everything of the account: keys, jobs, files, events, deliveries, endpoints, usage; may be begun again when it was cut off',
} as const;

const options = {
  account: { type: 'string', about: 'the name of the account' },
  yes: { type: 'boolean', about: 'erase it: nothing of it can be brought back' },
} as const;

const command = {
  usage: 'npm run accounts -- erase --account NAME --yes',
  about:
    'Erases accounts. Stored documents are deleted by the garbage collector of the workers, within the hours after it.',
  ...{ verbs, options },
};

await runCommand(command, async ({ account: given = '', yes }) => {
  const account = given.trim();
  if (account === '') throw new Error('--account NAME is needed');
  if (yes === undefined) throw new Error(`--yes is needed: everything of the account ${account} will be gone`);
  const { DATABASE_URL } = readSettings(process.env, ['DATABASE_URL']);
  await withDatabase(DATABASE_URL, async (database) => {
    const eraser = new AccountEraser(database);
    const id = await eraser.find(account);
    if (id === null) throw new Error(`there is no account ${account}`);
    const erased = await eraser.erase(id);
    for (const [kind, rows] of Object.entries(erased)) console.log(`${kind}\t${rows}`);
    console.log(`the account ${account} is erased`);
  });
});
