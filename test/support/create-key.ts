import { scopes } from '#libs/contract';
import { Database } from '#libs/persistence';
import { apiKeySecret, createApiKey } from '../../apps/api/src/manage-api-keys/create-api-key.js';

/** Makes an API key with all scopes, of an account that is made if there is none of that name. */
export async function createKey(databaseUrl: string, account: string): Promise<string> {
  const database = new Database({ url: databaseUrl, purpose: 'work', poolSize: 1 });
  try {
    const secret = apiKeySecret();
    await createApiKey(database, secret, { account, name: 'test', scopes });
    return secret;
  } finally {
    await database.close();
  }
}
