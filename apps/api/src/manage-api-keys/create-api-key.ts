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

/** The text of a new API key. */
export function apiKeySecret(): string {
  return `pdfonce_${randomBytes(32).toString('base64url')}`;
}

/** Makes an API key with this text, which is stored as a hash only, and gives its id (a UUID); nothing changes when there is one. */
export async function createApiKey(
  database: Database,
  secret: string,
  { account, name, scopes }: ApiKeyRequest,
): Promise<string> {
  const keys = new ApiKeyStore(database);
  const secretSha256 = createHash('sha256').update(secret).digest();
  const known = await keys.findBySecret(secretSha256);
  if (known !== null) return known.keyId;
  const id = uuidv7();
  await database.transaction(async (tx) => {
    const accountId = await keys.createAccount(tx, { id: uuidv7(), name: account });
    await keys.create(tx, { id, accountId, name, secretSha256, scopes });
  });
  return id;
}
