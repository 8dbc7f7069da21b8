import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from '#libs/contract';
import { ApiKeyStore, type Database } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';

/** The key to make. */
export interface ApiKeyRequest {
  /** Name of the account; it is made if there is none. */
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** Makes an API key and gives its text, which is stored as a hash only. */
export async function createApiKey(database: Database, { account, name, scopes }: ApiKeyRequest): Promise<string> {
  const keys = new ApiKeyStore(database);
  const secret = `pdfonce_${randomBytes(32).toString('base64url')}`;
  await database.transaction(async (tx) => {
    const accountId = await keys.createAccount(tx, { id: uuidv7(), name: account });
    const secretSha256 = createHash('sha256').update(secret).digest();
    await keys.create(tx, { id: uuidv7(), accountId, name, secretSha256, scopes });
  });
  return secret;
}
