import { errorCode } from './error-code.js';

const provesRollback = new Set(['40001', '40P01']);
const lostConnection = new Set([
  '57P01',
  '57P02',
  '57P03',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
]);
const lostConnectionTexts = [
  /connection terminated/i,
  /is not queryable/i,
  /query read timeout/i,
  /timeout exceeded when trying to connect/i,
  /cannot use a pool after calling end/i,
];

/** The error proves that nothing was committed (serialization failure, deadlock), so the same work may be repeated. */
export function isRolledBack(error: unknown): boolean {
  return provesRollback.has(errorCode(error));
}

/** The statement waited for a lock longer than its session allows (55P03). */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === '55P03';
}

/**
 * A lock timeout of a statement that waited for a row, not for a whole table: only then it has a context, which names the relation of the row
 * (Postgres source, `XactLockTableWaitErrorCb`).
 */
export function isRowLocked(error: unknown): boolean {
  return isLockTimeout(error) && contextOf(error) !== '';
}

/** A lock timeout of a statement that waited for an idempotency key, which somebody was about to commit. */
export function isKeyLocked(error: unknown): boolean {
  return isLockTimeout(error) && contextOf(error).includes('idempotency_keys');
}

function contextOf(error: unknown): string {
  const { where } = error as { where?: unknown };
  return typeof where === 'string' ? where : '';
}

/** The database cannot be reached, is going down or has no connection to give. Whether a statement under way was committed is unknown. */
export function isUnavailable(error: unknown): boolean {
  const code = errorCode(error);
  if (code.startsWith('08') || code.startsWith('53') || lostConnection.has(code)) return true;
  return error instanceof Error && lostConnectionTexts.some((text) => text.test(error.message));
}

/** A table or a column is not there (42P01, 42703): the database has not been migrated, or not far enough. */
export function isSchemaMissing(error: unknown): boolean {
  return ['42P01', '42703'].includes(errorCode(error));
}

const outOfTime = new Set(['55P03', '57014', '25P03', '25P04']);

/** The database ended a statement or transaction because it took too long: nothing of it was committed. */
export function isOutOfTime(error: unknown): boolean {
  return outOfTime.has(errorCode(error));
}

/** The database refused what a statement would have written (class 22 data exception, 23 integrity constraint violation): nothing of it was. */
export function isWriteRefused(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error));
}

/** The constraint that an error names, when a statement broke it (class 23), otherwise `null`. */
export function brokenConstraint(error: unknown): string | null {
  if (!errorCode(error).startsWith('23')) return null;
  const constraint = (error as { constraint?: unknown }).constraint;
  return typeof constraint === 'string' ? constraint : null;
}
