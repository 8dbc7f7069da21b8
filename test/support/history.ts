import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * What one line of a history tells. Ids are the product's public ids, `request` is the test's own name of a request. `job`, `output` and
 * `usage` are what the API said at the end.
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
    }
  | {
      type: 'answer';
      request: string;
      status: number;
      jobId?: string;
      isReplay?: boolean;
      code?: string;
      bodySha256?: string;
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
  | { type: 'kill'; process: string; pid: number; signal: string; point?: string }
  | { type: 'start'; process: string; pid: number };

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
