import type { Settings } from '#libs/contract';
import type { Database } from '#libs/persistence';
import { openDatabase } from '#libs/process';
import type { Logger } from 'pino';

/** Each statement is short and an account uses one connection at a time. */
const mostConnections = 4;

/** Opens the pool on which budgets are charged; without limits it never connects. */
export function openRateLimitDatabase(
  { DATABASE_URL, DATABASE_POOL }: Settings<'DATABASE_URL' | 'DATABASE_POOL'>,
  log: Logger,
): Database {
  return openDatabase({ DATABASE_URL, DATABASE_POOL: Math.min(DATABASE_POOL, mostConnections) }, 'rate-limit', log);
}
