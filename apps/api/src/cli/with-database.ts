import { Database, isSchemaMissing, isUnavailable } from '#libs/persistence';

/** Runs the work of a command on a database, with errors that say what the operator can mend. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = new Database({ url, purpose: 'work', poolSize: 1 });
  try {
    return await work(database);
  } catch (error) {
    throw explained(error);
  } finally {
    await database.close();
  }
}

/** The same error, or one that says what is wrong with DATABASE_URL or the schema behind it. */
export function explained(error: unknown): unknown {
  if (isSchemaMissing(error)) return new Error('the database is not migrated: run npm run migrate', { cause: error });
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!isUnavailable(error) && !/^(28|3D)|^(ENOTFOUND|EAI_AGAIN)$/.test(code)) return error;
  return new Error(`Postgres at DATABASE_URL cannot be used: ${message || code}`, { cause: error });
}
