import { readSettings } from '#libs/contract';
import { type DeadOutboxRow, OutboxStore } from '#libs/persistence';
import { runCommand } from '#libs/process';
import { withDatabase } from './with-database.js';

const verbs = {
  list: 'lists the records that Kafka refused, oldest first: id, topic, key, event, type, bytes, reason, time',
  retry: 'has the records with these ids published again, or all of them',
} as const;

const most = 1_000;
const usage = 'npm run outbox -- list | retry ID... | retry all';

await runCommand(
  { usage, about: 'Shows the records that Kafka refused for good.', verbs, options: {} },
  async (_, [verb, ...words]) => {
    const work = verb === 'list' ? listing : retrying(idsOf(words));
    const { DATABASE_URL } = readSettings(process.env, ['DATABASE_URL']);
    await withDatabase(DATABASE_URL, (database) => work(new OutboxStore(database)));
  },
);

async function listing(outbox: OutboxStore): Promise<void> {
  const rows = await outbox.listDead(most);
  for (const row of rows) console.log(lineOf(row));
  if (rows.length === most) console.error(`these are the first ${most}; there may be more`);
}

function lineOf({ id, topic, key, eventId, type, bodyBytes, reason, refusedAt }: DeadOutboxRow): string {
  return [id, topic, key, eventId, type, bodyBytes, reason, refusedAt.toISOString()].join('\t');
}

function retrying(ids: readonly string[] | 'all'): (outbox: OutboxStore) => Promise<void> {
  return async (outbox) => {
    const retried = await outbox.retryDead(ids);
    const missing = ids === 'all' ? [] : ids.filter((id) => !retried.includes(id));
    console.log(`${retried.length} to be published again`);
    if (missing.length > 0) throw new Error(`not among the refused records: ${missing.join(', ')}`);
  };
}

function idsOf(words: readonly string[]): readonly string[] | 'all' {
  if (words.length === 0) throw new Error('retry needs ids, or all');
  if (words.length === 1 && words[0] === 'all') return 'all';
  for (const word of words) {
    if (!/^[1-9]\d{0,17}$/.test(word)) throw new Error(`${word} is no id of a record; list shows them`);
  }
  return [...new Set(words.map(String))];
}
