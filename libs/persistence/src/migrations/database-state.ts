import type { Queryable } from '../database/database.js';
import { isSchemaMissing } from '../database/postgres-error.js';
import { statement } from '../database/statement.js';
import { newestMigration } from './migrate.js';

/** Whether a database answers, and has the schema that this version needs. */
export type DatabaseState = 'reachable' | 'unmigrated' | 'unreachable';

const hasMigration = statement(
  'has-migration',
  'SELECT EXISTS (SELECT FROM migrations WHERE name = $1) AS has_migration',
);

/** Asks a database; a schema that is newer than this version needs will do. */
export async function databaseState(database: Queryable): Promise<DatabaseState> {
  try {
    const [row] = await database.query<{ has_migration: boolean }>(hasMigration, [newestMigration]);
    return row?.has_migration === true ? 'reachable' : 'unmigrated';
  } catch (error) {
    return isSchemaMissing(error) ? 'unmigrated' : 'unreachable';
  }
}
