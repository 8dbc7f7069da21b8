import type { Queryable, Tx } from '../database/database.js';
import {
  createAccount,
  createApiKey,
  findApiKeyBySecret,
  isApiKeyLive,
  issueApiKey,
  listApiKeys,
  readApiKeyPage,
  revokeApiKey,
  touchApiKey,
} from './api-key.sql.js';

/** An API key to store. Its secret is known by its SHA-256 alone. */
export interface NewApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly secretSha256: Buffer;
  readonly scopes: readonly string[];
}

/** An API key that is made by another one of the same account, whose id is `issuerId`. */
export interface IssuedApiKey extends NewApiKey {
  readonly issuerId: string;
  readonly createdAt: Date;
}

/** Who asks, and what they may do; ids are UUIDs. */
export interface KeyHolder {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** What the account may do anew, as the setting RATE_LIMIT is written; `null` where that setting counts. */
  readonly rateLimit: string | null;
}

/** What may be shown of an API key; its id is a UUID. */
export interface ListedApiKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** To the minute, `null` when it never was. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: string[];
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

interface HolderRow {
  readonly id: string;
  readonly account_id: string;
  readonly scopes: string[];
  readonly rate_limit: string | null;
}

/** Accounts and their API keys. */
export class ApiKeyStore {
  constructor(private readonly database: Queryable) {}

  /** Makes an account unless there is one of that name, and gives the id of the account that has the name. */
  async createAccount(tx: Tx, account: { readonly id: string; readonly name: string }): Promise<string> {
    const [row] = await tx.query<{ id: string }>(createAccount, [account.id, account.name]);
    if (row === undefined) throw new Error(`the account ${account.name} was neither made nor found`);
    return row.id;
  }

  async create(tx: Tx, key: NewApiKey): Promise<void> {
    await tx.query(createApiKey, [key.id, key.accountId, key.name, key.secretSha256, key.scopes]);
  }

  /** Writes a key in the transaction that takes its idempotency key; `false` when the issuer was revoked. */
  async issue(tx: Tx, key: IssuedApiKey): Promise<boolean> {
    const { issuerId, id, accountId, name, secretSha256, scopes, createdAt } = key;
    const values = [issuerId, id, accountId, name, secretSha256, scopes, createdAt];
    return (await tx.query(issueApiKey, values)).length === 1;
  }

  /** The holder of the key with this secret, `null` when there is none or it was revoked. */
  async findBySecret(secretSha256: Buffer): Promise<KeyHolder | null> {
    const [row] = await this.database.query<HolderRow>(findApiKeyBySecret, [secretSha256]);
    if (row === undefined) return null;
    return { keyId: row.id, accountId: row.account_id, scopes: row.scopes, rateLimit: row.rate_limit };
  }

  /** The keys of the account with this name, oldest first, revoked ones too. */
  async list(accountName: string): Promise<readonly ListedApiKey[]> {
    const rows = await this.database.query<ApiKeyRow>(listApiKeys, [accountName]);
    return rows.map(listedKey);
  }

  /** One page of the keys of the account, newest first, revoked ones too; `before` is a key's UUID. */
  async page(
    accountId: string,
    page: { readonly before?: string | undefined; readonly limit: number },
  ): Promise<readonly ListedApiKey[]> {
    const rows = await this.database.query<ApiKeyRow>(readApiKeyPage, [accountId, page.before ?? null, page.limit]);
    return rows.map(listedKey);
  }

  /**
   * Revokes a key for good and gives when it was revoked, which may be earlier; `null` when there is no such key, or it is not of the account
   * that is named.
   */
  async revoke(keyId: string, accountId: string | null = null): Promise<Date | null> {
    const [row] = await this.database.query<{ revoked_at: Date }>(revokeApiKey, [keyId, accountId]);
    return row?.revoked_at ?? null;
  }

  /** Notes that the key was used, to the minute. */
  async touch(keyId: string): Promise<void> {
    await this.database.query(touchApiKey, [keyId]);
  }

  /** Whether the key exists and was not revoked. */
  async isLive(keyId: string): Promise<boolean> {
    const [row] = await this.database.query<{ is_live: boolean }>(isApiKeyLive, [keyId]);
    return row?.is_live ?? false;
  }
}

function listedKey({ id, name, scopes, ...at }: ApiKeyRow): ListedApiKey {
  return {
    ...{ id, name, scopes },
    createdAt: at.created_at,
    lastUsedAt: at.last_used_at,
    revokedAt: at.revoked_at,
  };
}
