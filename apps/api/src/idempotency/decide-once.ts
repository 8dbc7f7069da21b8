import { type RequestErrorCode, RequestRefused } from '#libs/contract';
import { fingerprint, isFingerprintOf, type SecretKeyring } from '#libs/domain';
import {
  type Database,
  type FoundKey,
  type IdempotencyRecord,
  type IdempotencyStore,
  isLockTimeout,
  isRolledBack,
  type KeyMode,
  type KeyScope,
  type StoredAnswer,
} from '#libs/persistence';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from './create-intent.js';
import type { AnsweringWork, Attempt, CreateWork } from './create-work.js';
import { nameOf } from './entry.js';
import type { Keyed } from './keyed.js';
import { keyInUse, keyReused, keyRevoked } from './refusals.js';
import type { TakeTurns } from './take-turns.js';
import { answerUnderKey } from './write-under-key.js';

/** With what requests are decided. */
export interface DecideParts {
  readonly keys: IdempotencyStore;
  readonly keyring: SecretKeyring;
  readonly database: Database;
  /** How long a key is kept whose work lets this class write its record, in milliseconds. */
  readonly keyTtlMs: number;
  readonly turns: TakeTurns;
}

const mostRounds = 3;
const mostRepeats = 5;

/** What a record that is not committed yet stands for: its own transaction replaces it. */
const unanswered: StoredAnswer = { status: 0, location: null, contentType: '', body: Buffer.alloc(0) };

/**
 * One key, one decision. The write comes first and the primary key decides; only a request that lost reads, in a statement of its own, who
 * won. There is no state in between: a crash rolls back, and the key is free. Within a process the requests of one key take turns, so that a
 * flood on one key uses one connection.
 */
export class DecideOnce {
  constructor(private readonly parts: DecideParts) {}

  /**
   * Makes the write true, or answers with what the key already stands for. Under a known key a request is a replay or a conflict whatever is
   * wrong with it: only one that no key stands for is refused, by its preparation or by its work, and leaves the key free.
   *
   * An answer that is known before the write: `decide(intent, async () => ({ answer, write: (keyed) => ... }))`. One that only the transaction
   * knows: `decide(intent, async () => ({ answerIn: async (tx) => jsonAnswer(200, null, view) }))`.
   *
   * @param prepare checks the request and makes its write ready
   * @throws RequestRefused
   */
  async decide(intent: CreateIntent, prepare: () => Promise<CreateWork>): Promise<DecidedAnswer> {
    const { key, entry } = intent;
    const decided = await (key === null
      ? this.decideKeyless(intent, await prepare())
      : this.parts.turns.run(nameOf(scopeOf(intent, key)), entry.client, (hasWaited) =>
          this.decideKeyed(intent, key, { prepare, hasWaited }),
        ));
    if (decided.isReplayed) await entry.giveBack();
    else entry.spend();
    return decided;
  }

  private async decideKeyed(intent: CreateIntent, key: string, { prepare, hasWaited }: Turn): Promise<DecidedAnswer> {
    const { entry } = intent;
    const known = (await entry.known(hasWaited)) ?? (await entry.pay());
    if (known !== null) return this.replay(intent, known);
    try {
      return await this.write(intent, key, await prepare());
    } catch (error) {
      if (!(error instanceof RequestRefused) || aboutTheKey.has(error.code)) throw error;
      const meanwhile = await entry.look();
      if (meanwhile === null) throw error;
      return this.replay(intent, meanwhile);
    }
  }

  private async write(intent: CreateIntent, key: string, work: CreateWork): Promise<DecidedAnswer> {
    const record = this.recordOf(intent, key, work);
    let mode: KeyMode = 'insert';
    for (let round = 0; round < mostRounds; round += 1) {
      const attempt = await this.attempt(() => this.tryOnce(intent, { record, mode }, work), keyInUse);
      if (attempt === 'unauthorized') throw keyRevoked();
      if (attempt !== 'held') return { answer: attempt, isReplayed: false };
      const known = await intent.entry.find();
      if (known !== null && !known.isExpired) return this.replay(intent, known);
      mode = known === null ? 'insert' : 'replace';
    }
    throw keyInUse();
  }

  private async decideKeyless(intent: CreateIntent, work: CreateWork): Promise<DecidedAnswer> {
    const attempt = await this.attempt(() => this.tryOnce(intent, null, work), busy);
    if (attempt === 'unauthorized') throw keyRevoked();
    if (attempt === 'held') throw new Error(`a request without a key lost its key on ${intent.route}`);
    return { answer: attempt, isReplayed: false };
  }

  private async tryOnce(intent: CreateIntent, keyed: Keyed, work: CreateWork): Promise<Written> {
    if ('answerIn' in work) return this.answerOnce(intent, keyed, work);
    const attempt = await work.write(keyed);
    return attempt === 'done' ? work.answer : attempt;
  }

  private async answerOnce({ caller }: CreateIntent, keyed: Keyed, work: AnsweringWork): Promise<Written> {
    const { database, keys, keyTtlMs } = this.parts;
    const under = { database, keys, apiKeyId: caller.keyId, ttlMs: keyTtlMs };
    return answerUnderKey(under, keyed, work.answerIn, (answer) => this.stored(answer, work));
  }

  /** Repeats only what Postgres proved to be rolled back; a lost connection proves nothing. */
  private async attempt(write: () => Promise<Written>, onLockTimeout: () => RequestRefused): Promise<Written> {
    for (let repeat = 0; ; repeat += 1) {
      try {
        return await write();
      } catch (error) {
        if (isLockTimeout(error)) throw onLockTimeout();
        if (repeat >= mostRepeats || !isRolledBack(error)) throw error;
      }
    }
  }

  private replay(intent: CreateIntent, known: FoundKey): DecidedAnswer {
    if (!known.isAuthorized) throw keyRevoked();
    if (!isFingerprintOf(known.fingerprint, intent.identity)) throw keyReused();
    const { answer } = known;
    const body = known.isSealed ? Buffer.from(this.parts.keyring.open(answer.body.toString('utf8'))) : answer.body;
    return { answer: { ...answer, body }, isReplayed: true };
  }

  private recordOf(intent: CreateIntent, key: string, work: CreateWork): IdempotencyRecord {
    const answer = 'answerIn' in work ? unanswered : this.stored(work.answer, work);
    const record = { ...scopeOf(intent, key), answer, isSealed: work.showsSecret ?? false };
    return { ...record, fingerprint: fingerprint(intent.identity) };
  }

  private stored(answer: StoredAnswer, { showsSecret = false }: Pick<CreateWork, 'showsSecret'>): StoredAnswer {
    if (!showsSecret) return answer;
    return { ...answer, body: Buffer.from(this.parts.keyring.seal(answer.body.toString('utf8'))) };
  }
}

interface Turn {
  readonly prepare: () => Promise<CreateWork>;
  /** Whether other requests with the key had the turn while this one waited. */
  readonly hasWaited: boolean;
}

/** The answer that a write made true, or why it wrote nothing. */
type Written = StoredAnswer | Exclude<Attempt, 'done'>;

/** Refusals for which the key, or who asks, was looked at last: looking again tells nothing new. */
const aboutTheKey: ReadonlySet<RequestErrorCode> = new Set([
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'unauthenticated',
]);

function scopeOf({ caller, route }: CreateIntent, key: string): KeyScope {
  return { accountId: caller.accountId, route, key };
}

function busy(): RequestRefused {
  return new RequestRefused('unavailable', 'the database is busy; nothing was accepted', { retryAfterSeconds: 1 });
}
