import type { LogEntry } from 'kafkajs';
import type { Logger } from 'pino';

const quietMs = 60_000;
const routine = ['The group is rebalancing, re-joining', 'Response without match'];
const fields = ['groupId', 'topic', 'partition', 'broker', 'error'] as const;

/**
 * Hands kafkajs's warnings and errors to `log`, as warnings at most: what they mean for the product is logged by who used the client.
 * A repetition within a minute and routine messages go to debug.
 *
 * @param now a monotonic clock in milliseconds
 */
export function kafkaLog(log: Logger, now: () => number): (entry: LogEntry) => void {
  const lastWarnedAt = new Map<string, number>();
  return ({ namespace, log: entry }) => {
    const key = `${namespace} ${entry.message}`;
    const detail = { kafka: namespace, detail: entry.message, ...pick(entry) };
    if (routine.includes(entry.message) || now() - (lastWarnedAt.get(key) ?? -quietMs) < quietMs) {
      log.debug(detail, 'kafka.client-warned');
      return;
    }
    if (lastWarnedAt.size >= 100) lastWarnedAt.clear();
    lastWarnedAt.set(key, now());
    log.warn(detail, 'kafka.client-warned');
  };
}

function pick(entry: LogEntry['log']): Record<string, unknown> {
  return Object.fromEntries(fields.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])));
}
