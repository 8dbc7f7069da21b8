import { hash } from 'node:crypto';
import { RequestRefused } from '#libs/contract';
import type { ApiKeyStore } from '#libs/persistence';
import type { Caller } from '../http/request-context.js';

const cacheMs = 1_000;
const mostCached = 10_000;

interface Cached {
  readonly caller: Promise<Caller | null>;
  readonly until: number;
}

/**
 * Finds out who sends a request. A key is remembered for a second, so a revocation takes effect within it; admission checks the key again in
 * its own statement.
 */
export class Authenticate {
  private readonly cache = new Map<string, Cached>();

  constructor(
    private readonly keys: ApiKeyStore,
    private readonly now: () => number,
  ) {}

  /** @throws RequestRefused `unauthenticated` */
  async caller(authorization: string | undefined): Promise<Caller> {
    const secret = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (secret === undefined) {
      throw refusal('send the API key as Authorization: Bearer <key>');
    }
    const caller = await this.find(hash('sha256', secret, 'buffer'));
    if (caller === null) throw refusal('the API key is unknown or revoked');
    return caller;
  }

  private find(secretSha256: Buffer): Promise<Caller | null> {
    const name = secretSha256.toString('base64');
    const cached = this.cache.get(name);
    if (cached !== undefined && cached.until > this.now()) return cached.caller;
    if (this.cache.size >= mostCached) this.cache.clear();
    const caller = this.look(secretSha256);
    this.cache.set(name, { caller, until: this.now() + cacheMs });
    caller.catch(() => this.cache.delete(name));
    return caller;
  }

  private async look(secretSha256: Buffer): Promise<Caller | null> {
    const holder = await this.keys.findBySecret(secretSha256);
    if (holder !== null) await this.keys.touch(holder.keyId);
    return holder;
  }
}

function refusal(detail: string): RequestRefused {
  return new RequestRefused('unauthenticated', detail, { headers: { 'www-authenticate': 'Bearer' } });
}
