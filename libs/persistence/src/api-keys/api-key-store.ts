import type { Queryable, Tx } from '../database/database.js';
import {
  createAccount,
  createApiKey,
  findApiKeyBySecret,
  isApiKeyLive,
  listApiKeys,
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

/** Who asks, and what they may do; ids are UUIDs. */
export interface KeyHolder {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
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

  /** The holder of the key with this secret, `null` when there is none or it was revoked. */
  async findBySecret(secretSha256: Buffer): Promise<KeyHolder | null> {
    const [row] = await this.database.query<{ id: string; account_id: string; scopes: string[] }>(findApiKeyBySecret, [
      secretSha256,
    ]);
    return row === undefined ? null : { keyId: row.id, accountId: row.account_id, scopes: row.scopes };
  }

  /** The keys of the account with this name, oldest first, revoked ones too. */
  async list(accountName: string): Promise<readonly ListedApiKey[]> {
    const rows = await this.database.query<ApiKeyRow>(listApiKeys, [accountName]);
    return rows.map(({ id, name, scopes, ...at }) => ({
      ...{ id, name, scopes },
      createdAt: at.created_at,
      lastUsedAt: at.last_used_at,
      revokedAt: at.revoked_at,
    }));
  }

  /** Revokes a key for good and gives when it was revoked, which may be earlier; `null` when there is no such key. */
  async revoke(keyId: string): Promise<Date | null> {
    const [row] = await this.database.query<{ revoked_at: Date }>(revokeApiKey, [keyId]);
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
