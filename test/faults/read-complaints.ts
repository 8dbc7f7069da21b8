import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '../support/cluster.js';
import type { History } from '../support/history.js';
import { isUniqueViolation, postgresLog } from '../support/postgres-log.js';

const longestText = 500;

/**
 * Writes into the history what logs say that none should say: a broken unique constraint, an answer 5xx that is not 503, a rejection that
 * nobody handled, and whatever a process wrote that is no log record.
 */
export async function readComplaints(cluster: Cluster, logDirectory: string, history: History): Promise<void> {
  const note = (process: string, text: string): void =>
    history.append({ type: 'complaint', process, text: text.slice(0, longestText) });
  for (const line of (await postgresLog(cluster.postgres)).filter(isUniqueViolation)) note('postgres', line);
  for (const file of await readdir(logDirectory)) {
    const lines = (await readFile(join(logDirectory, file), 'utf8')).split('\n').filter((line) => line !== '');
    for (const line of lines.filter(isComplaint)) note(file.replace(/\.log$/, ''), line);
  }
}

function isComplaint(line: string): boolean {
  if (!line.startsWith('{')) return true;
  const { msg, status, code } = JSON.parse(line) as { msg?: string; status?: number; code?: string };
  if (msg === 'request.answered') return (status ?? 0) >= 500 && status !== 503;
  return msg === 'process.rejection-unhandled' || (msg === 'request.failed' && code !== 'unavailable');
}
