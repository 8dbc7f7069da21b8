import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** What a row that was stored stands for. */
export type StoredKind = 'job' | 'batch' | 'file' | 'endpoint' | 'key' | 'command' | 'event' | 'usage';

/** One attempt of a delivery as the database has it. */
export interface RecordedAttempt {
  readonly number: number;
  readonly claim: number;
  readonly outcome: string;
}

/**
 * What one line of a history tells. Ids are the product's public ids, `request` is the test's own name of a request. `job`, `output` and
 * `usage` are what the API said at the end, `stored` is what the database held then, `complaint` what a log says that none should say.
 * `monotonicMs` is the machine's monotonic clock, the same in all processes.
 */
export type HistoryFact =
  | {
      type: 'request';
      request: string;
      method: string;
      path: string;
      idempotencyKey?: string;
      /** What the job must come to, and the pages that its outputs must have together. */
      expects?: { state: string; pages: number };
      /** The process it was sent to. */
      api?: string;
      /** Which of several bodies it has that are sent under the same key. */
      payload?: string;
      /** How many jobs it makes. */
      jobs?: number;
    }
  | {
      type: 'answer';
      request: string;
      status: number;
      jobId?: string;
      isReplay?: boolean;
      code?: string;
      bodySha256?: string;
      location?: string | null;
    }
  | { type: 'answer'; request: string; error: string }
  | { type: 'delivery'; endpoint: string; eventId: string; eventType: string; jobId?: string; answered: string }
  | {
      type: 'record';
      topic: string;
      partition: number;
      offset: string;
      eventId: string;
      eventType: string;
      jobId?: string;
    }
  | { type: 'job'; jobId: string; idempotencyKey: string | null; state: string; attempt: number; pages: number }
  | { type: 'output'; jobId: string; index: number; sha256: string; receivedSha256: string }
  | { type: 'usage'; jobs: number }
  | { type: 'end'; process: string; pid: number; code: number | null; signal: string | null }
  | { type: 'kill'; process: string; pid: number; signal: string; point?: string; monotonicMs?: number }
  | { type: 'start'; process: string; pid: number }
  | { type: 'ready'; process: string; pid: number }
  | { type: 'stop'; process: string; pid: number; monotonicMs?: number }
  | { type: 'continue'; process: string; pid: number; monotonicMs?: number }
  | { type: 'terminate'; backends: number }
  /** The server was killed, and started again after so long. */
  | { type: 'outage'; of: 'postgres' | 'kafka'; downMs: number }
  /** A webhook request that a receiver has read. */
  | {
      type: 'arrival';
      request: string;
      endpoint: string;
      deliveryId: string;
      eventId: string;
      /** The process that sent it. */
      pid: number;
      /** By its signature, and its id is that of its body. */
      isGenuine: boolean;
      bodySha256: string;
      monotonicMs: number;
    }
  /** Its end: the whole answer was given, the receiver cut the connection, or the sender left before. */
  | { type: 'departure'; request: string; how: 'answered' | 'cut' | 'left'; status: number; monotonicMs: number }
  /** What the database has of a delivery at the end. */
  | {
      type: 'attempts';
      deliveryId: string;
      eventId: string;
      endpoint: string;
      state: string;
      attempt: number;
      attempts: readonly RecordedAttempt[];
    }
  | {
      type: 'stored';
      kind: StoredKind;
      id: string;
      idempotencyKey?: string | null;
      payload?: string | null;
      /** The row that it belongs to. */
      of?: string | null;
      /** State of a job, type of an event, hash of the body that a key keeps. */
      detail?: string | null;
      /** Of an event. */
      bodySha256?: string;
      /** When it happened, in milliseconds since 1970. */
      occurredAt?: number;
    }
  | { type: 'complaint'; process: string; text: string };

/** A fact and when it was seen, in milliseconds since 1970. */
export type HistoryEntry = HistoryFact & { readonly at: number };

export interface History {
  /** Written to the file before it returns, in one write, so several processes may append to one file. */
  append(fact: HistoryFact, at?: number): void;
  close(): void;
}

/** Opens an append-only history, one JSON object a line. */
export function openHistory(path: string): History {
  const descriptor = openSync(path, 'a');
  return {
    append: (fact, at = Date.now()) => {
      writeSync(descriptor, `${JSON.stringify({ at, ...fact })}\n`);
    },
    close: () => closeSync(descriptor),
  };
}

/** All entries in the order they were appended. A last line that a kill cut off is left out. */
export async function readHistory(path: string): Promise<HistoryEntry[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as HistoryEntry);
}
