import type { LogEntry } from 'kafkajs';
import { pino } from 'pino';
import { kafkaLog } from './kafka-log.js';

function entry(message: string, level = 1): LogEntry {
  return {
    namespace: 'Connection',
    level,
    label: 'ERROR',
    log: { message, timestamp: '', broker: 'b:9092', stack: 'x' },
  };
}

describe('the log of the Kafka client', () => {
  let lines: Record<string, unknown>[];
  let nowMs: number;
  let write: (entry: LogEntry) => void;

  beforeEach(() => {
    lines = [];
    nowMs = 0;
    const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    write = kafkaLog(pino({ level: 'warn' }, sink), () => nowMs);
  });

  it('warns at most, with the broker and without the stack', () => {
    write(entry('Connection error: refused'));
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        kafka: 'Connection',
        detail: 'Connection error: refused',
        broker: 'b:9092',
      }),
    ]);
    expect(lines[0]).not.toHaveProperty('stack');
  });

  it('says the same thing once a minute', () => {
    for (nowMs = 0; nowMs < 120_000; nowMs += 500) write(entry('Connection error: refused'));
    expect(lines).toHaveLength(2);
  });

  it('keeps routine messages out of the warnings', () => {
    write(entry('The group is rebalancing, re-joining'));
    expect(lines).toEqual([]);
  });
});
