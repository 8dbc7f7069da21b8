import { readSettings, type Scope, scopes } from '#libs/contract';
import { Database } from '#libs/persistence';
import { runCommand } from '#libs/process';
import { apiKeySecret, createApiKey } from '../create-api-key.js';

const options = {
  account: { type: 'string', about: 'account of the key; made if there is none of that name' },
  name: { type: 'string', about: 'what the key is for' },
  scopes: { type: 'string', about: `comma-separated (default: all): ${scopes.join(', ')}` },
} as const;

await runCommand(
  { usage: 'npm run keys -- create --account NAME [options]', about: 'Makes an API key and prints it, once.', options },
  async (given, [verb]) => {
    if (verb !== 'create') throw new Error(`unknown command ${verb ?? ''}; there is: create`);
    const { account, name = 'command line' } = given;
    if (account === undefined || account.trim() === '') throw new Error('--account NAME is needed');
    const { DATABASE_URL } = readSettings(process.env, ['DATABASE_URL']);
    const database = new Database({ url: DATABASE_URL, purpose: 'work', poolSize: 1 });
    try {
      const secret = apiKeySecret();
      await createApiKey(database, secret, { account: account.trim(), name, scopes: scopesOf(given['scopes']) });
      console.log(secret);
    } finally {
      await database.close();
    }
  },
);

function scopesOf(text: string | undefined): readonly Scope[] {
  if (text === undefined) return scopes;
  return text.split(',').map((word) => {
    const scope = scopes.find((known) => known === word.trim());
    if (scope === undefined) throw new Error(`unknown scope ${word.trim()}; there are ${scopes.join(', ')}`);
    return scope;
  });
}
