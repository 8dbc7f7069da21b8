import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestPostgres } from './postgres.js';

/**
 * The lines that a server logged which `startTestPostgres` started.
 *
 * @throws when the server is another one, whose log is elsewhere
 */
export async function postgresLog(postgres: TestPostgres): Promise<string[]> {
  const [row] = await postgres.query<{ data_directory: string }>('SHOW data_directory');
  const text = await readFile(join(dirname(row?.data_directory ?? ''), 'server.log'), 'utf8');
  return text.split('\n');
}

/** Whether a line tells of a broken unique constraint (23505). */
export function isUniqueViolation(line: string): boolean {
  return line.includes('duplicate key value violates unique constraint');
}
