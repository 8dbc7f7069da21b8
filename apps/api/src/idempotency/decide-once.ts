import { RequestRefused } from '#libs/contract';
import type { SecretKeyring } from '#libs/domain';
import {
  type FoundKey,
  type IdempotencyRecord,
  type IdempotencyStore,
  isLockTimeout,
  isRolledBack,
  type KeyMode,
  type StoredAnswer,
} from '#libs/persistence';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from './create-intent.js';
import type { Keyed } from './keyed.js';

/** How one try to write ended: `held` means that a committed record has the key, `unauthorized` that the API key was revoked. */
export type Attempt = 'done' | 'held' | 'unauthorized';

/** A write of a create request: the answer it makes true, and the one transaction that does it. */
export interface CreateWork {
  readonly answer: StoredAnswer;
  /** The answer shows a secret, so it is sealed where it is stored. */
  readonly showsSecret?: boolean;
  /** Writes everything or nothing; without a record there is no key. */
  readonly write: (keyed: Keyed) => Promise<Attempt>;
}

const mostRounds = 3;
const mostRepeats = 5;

/**
 * One key, one decision. The write comes first and the primary key decides; only a request that lost reads, in a statement of its own, who
 * won. There is no state in between: a crash rolls back, and the key is free.
 */
export class DecideOnce {
  constructor(
    private readonly keys: IdempotencyStore,
    private readonly keyring: SecretKeyring,
  ) {}

  /**
   * Makes the write true, or answers with what the key already stands for. Under a known key a request is a replay or a conflict whatever is
   * wrong with its body: only one that no key stands for is refused for it.
   *
   * @param prepare checks the request and makes its write ready
   * @throws RequestRefused
   */
  async decide(intent: CreateIntent, prepare: () => Promise<CreateWork>): Promise<DecidedAnswer> {
    try {
      return await this.write(intent, await prepare());
    } catch (error) {
      if (!(error instanceof RequestRefused) || !isAboutTheBody(error)) throw error;
      return this.refuse(intent, error);
    }
  }

  private async write(intent: CreateIntent, work: CreateWork): Promise<DecidedAnswer> {
    const { key } = intent;
    if (key === null) return this.decideKeyless(work);
    const record = this.recordOf(intent, key, work);
    let mode: KeyMode = 'insert';
    for (let round = 0; round < mostRounds; round += 1) {
      const attempt = await this.attempt(() => work.write({ record, mode }), inUse);
      if (attempt === 'done') return { answer: work.answer, isReplayed: false };
      if (attempt === 'unauthorized') throw revoked();
      const known = await this.find(intent, key);
      if (known !== null && !known.isExpired) return this.replay(intent, known);
      mode = known === null ? 'insert' : 'replace';
    }
    throw inUse();
  }

  private async refuse(intent: CreateIntent, refusal: RequestRefused): Promise<DecidedAnswer> {
    if (intent.key === null) throw refusal;
    const known = await this.find(intent, intent.key);
    if (known === null || known.isExpired) throw refusal;
    return this.replay(intent, known);
  }

  private async decideKeyless(work: CreateWork): Promise<DecidedAnswer> {
    const attempt = await this.attempt(() => work.write(null), busy);
    if (attempt === 'unauthorized') throw revoked();
    return { answer: work.answer, isReplayed: false };
  }

  /** Repeats only what Postgres proved to be rolled back; a lost connection proves nothing. */
  private async attempt(write: () => Promise<Attempt>, onLockTimeout: () => RequestRefused): Promise<Attempt> {
    for (let repeat = 0; ; repeat += 1) {
      try {
        return await write();
      } catch (error) {
        if (isLockTimeout(error)) throw onLockTimeout();
        if (repeat >= mostRepeats || !isRolledBack(error)) throw error;
      }
    }
  }

  private find({ caller, route }: CreateIntent, key: string): Promise<FoundKey | null> {
    return this.keys.find({ accountId: caller.accountId, route, key }, caller.keyId);
  }

  private replay(intent: CreateIntent, known: FoundKey): DecidedAnswer {
    if (!known.isAuthorized) throw revoked();
    if (known.fingerprint !== intent.fingerprint) {
      throw new RequestRefused(
        'idempotency_key_reused',
        'this key was used for another request: the operation, the options, the metadata and the contents, names and order of the documents count; use a new key for a new request',
      );
    }
    const { answer } = known;
    const body = known.isSealed ? Buffer.from(this.keyring.open(answer.body.toString('utf8'))) : answer.body;
    return { answer: { ...answer, body }, isReplayed: true };
  }

  private recordOf(intent: CreateIntent, key: string, { answer, showsSecret = false }: CreateWork): IdempotencyRecord {
    const body = showsSecret ? Buffer.from(this.keyring.seal(answer.body.toString('utf8'))) : answer.body;
    const { caller, route, fingerprint } = intent;
    return { accountId: caller.accountId, route, key, fingerprint, answer: { ...answer, body }, isSealed: showsSecret };
  }
}

/** Refusals that a request earns by what it says. */
function isAboutTheBody({ status }: RequestRefused): boolean {
  return status === 400 || status === 422;
}

function inUse(): RequestRefused {
  return new RequestRefused('idempotency_key_in_use', 'the first request with this key is still being committed', {
    retryAfterSeconds: 1,
  });
}

function busy(): RequestRefused {
  return new RequestRefused('unavailable', 'the database is busy; nothing was accepted', { retryAfterSeconds: 1 });
}

function revoked(): RequestRefused {
  return new RequestRefused('unauthenticated', 'the API key was revoked', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}
