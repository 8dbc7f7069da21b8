import { type RequestErrorCode, RequestRefused } from '#libs/contract';
import { compareFingerprint, fingerprint, type SecretKeyring } from '#libs/domain';
import {
  type Database,
  type FoundKey,
  type IdempotencyRecord,
  type IdempotencyStore,
  isKeyLocked,
  isLockTimeout,
  isRolledBack,
  type KeyMode,
  type KeyScope,
  type KeyToTake,
  type StoredAnswer,
} from '#libs/persistence';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from './create-intent.js';
import type { CreateWork, StatementWork, TransactionWork, WriteOutcome } from './create-work.js';
import { apiKeyRevoked, keyInUse, keyOfNewerRelease, keyReused } from './refusals.js';
import { refuseQuery } from './refuse-query.js';
import type { TakeTurns } from './take-turns.js';

/** With what requests are decided. */
export interface DecideParts {
  readonly keys: IdempotencyStore;
  readonly keyring: SecretKeyring;
  readonly database: Database;
  /** How long the key of a transaction is kept, in milliseconds; that of a job or batch expires with it. */
  readonly keyTtlMs: number;
  readonly turns: TakeTurns;
}

const mostRounds = 3;
const mostRepeats = 5;

/** What a record that is not committed yet stands for: its own transaction replaces it. */
const unanswered: StoredAnswer = { status: 0, location: null, contentType: '', body: '' };

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
   * @param prepareWork checks the request and makes its write ready; asked again when the write finds that what it looked at has changed
   * @throws RequestRefused
   */
  async decide(intent: CreateIntent, prepareWork: Prepare): Promise<DecidedAnswer> {
    const { key, entry } = intent;
    const prepare: Prepare = () => {
      refuseQuery(intent);
      return prepareWork();
    };
    const decided = await (key === null || entry.keyName === null
      ? this.decideKeyless(intent, prepare)
      : this.parts.turns.run(entry.keyName, entry.client, (hasWaited) =>
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
      return await this.write(intent, key, prepare);
    } catch (error) {
      if (!(error instanceof RequestRefused) || aboutTheKey.has(error.code)) throw error;
      const meanwhile = await entry.look();
      if (meanwhile === null) throw error;
      return this.replay(intent, meanwhile);
    }
  }

  private async write(intent: CreateIntent, key: string, prepare: Prepare): Promise<DecidedAnswer> {
    let work = await prepare();
    let mode: KeyMode = 'insert';
    let isStale = false;
    for (let round = 0; round < mostRounds; round += 1) {
      const record = this.recordOf(intent, key, work);
      const written = await this.tryOnce(intent, { record, mode }, work);
      isStale = written === 'stale';
      if (written === 'stale') work = await prepare();
      else if (written !== 'held') return { answer: written, isReplayed: false };
      else {
        const known = await intent.entry.find();
        if (known !== null && !known.isExpired) return this.replay(intent, known);
        mode = known === null ? 'insert' : 'replace';
      }
    }
    throw isStale ? busy() : keyInUse();
  }

  private async decideKeyless(intent: CreateIntent, prepare: Prepare): Promise<DecidedAnswer> {
    for (let round = 0; round < mostRounds; round += 1) {
      const written = await this.tryOnce(intent, null, await prepare());
      if (typeof written !== 'string') return { answer: written, isReplayed: false };
    }
    throw busy();
  }

  private async tryOnce(intent: CreateIntent, key: KeyToTake | null, work: CreateWork): Promise<Written> {
    try {
      const written = await ('answerIn' in work ? this.transact(intent, key, work) : this.state(key, work));
      if (written === 'unauthorized') throw apiKeyRevoked();
      return written;
    } catch (error) {
      if (isLockTimeout(error)) throw key !== null && isKeyLocked(error) ? keyInUse() : busy();
      throw error;
    }
  }

  /** Repeats only what Postgres proved to be rolled back; a lost connection proves nothing. */
  private async state(key: KeyToTake | null, { answer, write }: StatementWork): Promise<Tried> {
    for (let repeat = 0; ; repeat += 1) {
      try {
        const outcome = await write(key);
        return outcome === 'done' ? answer : outcome;
      } catch (error) {
        if (repeat >= mostRepeats || !isRolledBack(error)) throw error;
      }
    }
  }

  private async transact({ caller }: CreateIntent, key: KeyToTake | null, work: TransactionWork): Promise<Tried> {
    const { database, keys, keyTtlMs } = this.parts;
    const written = await database.transaction(async (tx) => {
      const taking = await keys.take(tx, caller.keyId, key, keyTtlMs);
      if (taking !== 'taken') return taking;
      const answered = await work.answerIn(tx);
      if (key !== null) await keys.answer(tx, { ...key.record, answer: this.stored(answered.answer, work) });
      return answered;
    });
    if (typeof written === 'string') return written;
    written.onCommit?.();
    return written.answer;
  }

  private replay(intent: CreateIntent, known: FoundKey): DecidedAnswer {
    if (!known.isAuthorized) throw apiKeyRevoked();
    const likeness = compareFingerprint(known.fingerprint, intent.identity);
    if (likeness === 'unknown') throw keyOfNewerRelease();
    if (likeness === 'other') throw keyReused();
    const { answer } = known;
    const body = known.isSealed ? this.parts.keyring.open(answer.body) : answer.body;
    return { answer: { ...answer, body }, isReplayed: true };
  }

  private recordOf(intent: CreateIntent, key: string, work: CreateWork): IdempotencyRecord {
    const record = { ...scopeOf(intent, key), fingerprint: fingerprint(intent.identity) };
    return 'answerIn' in work
      ? { ...record, answer: unanswered, isSealed: work.showsSecret ?? false }
      : { ...record, answer: work.answer, isSealed: false };
  }

  private stored(answer: StoredAnswer, { showsSecret = false }: TransactionWork): StoredAnswer {
    if (!showsSecret) return answer;
    return { ...answer, body: this.parts.keyring.seal(answer.body) };
  }
}

type Prepare = () => Promise<CreateWork>;

interface Turn {
  readonly prepare: Prepare;
  /** Whether other requests with the key had the turn while this one waited. */
  readonly hasWaited: boolean;
}

/** The answer that a write made true, or why it wrote nothing. */
type Tried = StoredAnswer | Exclude<WriteOutcome, 'done'>;
type Written = Exclude<Tried, 'unauthorized'>;

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
