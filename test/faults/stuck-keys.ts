import type { HistoryEntry } from '../support/history.js';
import { type Answered, type Fact, Facts } from './facts.js';

/** The key that waited longest for a decision after a fault, and for how long. */
export interface Stuck {
  readonly key: string;
  readonly ms: number;
  /** The longest time with all faults that followed and all time in which no API was up. */
  readonly wholeMs: number;
  /** How often a fault left a key undecided for a moment. */
  readonly interruptions: number;
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** What became of the requests of one key. */
interface KeyTimes {
  /** When a request lost its process, its connection, or a session in Postgres. */
  readonly interruptions: number[];
  /** When a request got a decision. */
  readonly decisions: number[];
  /** While a request was under way that got an answer, whatever it was. */
  readonly answered: Interval[];
  /** While a request was under way that got none. */
  readonly cut: Interval[];
}

/**
 * For each key, the time from the moment at which a request of it lost its process, its connection or its session in Postgres until a
 * request of it got a decision: an answer that is neither 503 nor `idempotency_key_in_use`. Time is not counted while no API was up, and
 * while all requests of the key were at APIs that were then killed or stopped themselves; that begins a time of its own.
 */
export function longestStuck(history: readonly HistoryEntry[]): Stuck {
  const downtimes = downtimesOf(history);
  let longest = { key: '', ms: 0 };
  let wholeMs = 0;
  let interruptions = 0;
  for (const [key, times] of timesByKey(history)) {
    for (const from of times.interruptions) {
      const to = times.decisions.find((at) => at >= from);
      if (to === undefined) continue;
      interruptions += 1;
      wholeMs = Math.max(wholeMs, to - from);
      const ms = countedMs({ from, to }, times, downtimes);
      if (ms > longest.ms) longest = { key, ms };
    }
  }
  return { ...longest, wholeMs, interruptions };
}

/** Whether an answer says what the key stands for, or that the request is refused for good. */
function isDecision({ status, code }: Answered): boolean {
  return status < 500 && code !== 'idempotency_key_in_use';
}

function timesByKey(history: readonly HistoryEntry[]): ReadonlyMap<string, KeyTimes> {
  const read = new KeyTimesReader(new Facts(history));
  for (const entry of history) {
    if (entry.type === 'request') read.open(entry);
    else if (entry.type === 'terminate') read.interrupt(entry.at);
    else if (entry.type === 'answer') read.close(entry);
  }
  return read.times;
}

class KeyTimesReader {
  readonly times = new Map<string, KeyTimes>();
  readonly #openSince = new Map<string, number>();

  constructor(private readonly facts: Facts) {}

  open({ request, at }: Fact<'request'>): void {
    this.#openSince.set(request, at);
  }

  interrupt(at: number): void {
    for (const request of this.#openSince.keys()) this.#of(request).interruptions.push(at);
  }

  /** Only the first end of a request counts: one that was given up may be answered, or cut off, much later. */
  close(answer: Fact<'answer'>): void {
    const { request, at: to } = answer;
    const times = this.#of(request);
    if ('status' in answer && isDecision(answer)) times.decisions.push(to);
    const from = this.#openSince.get(request);
    if (from === undefined) return;
    this.#openSince.delete(request);
    if ('status' in answer) return void times.answered.push({ from, to });
    times.cut.push({ from, to });
    times.interruptions.push(to);
  }

  #of(request: string): KeyTimes {
    const key = this.facts.keyOf(request);
    const times = this.times.get(key) ?? { interruptions: [], decisions: [], answered: [], cut: [] };
    this.times.set(key, times);
    return times;
  }
}

/** When no API could answer. */
function downtimesOf(history: readonly HistoryEntry[]): Interval[] {
  const downtimes: Interval[] = [];
  const up = new Set<string>();
  let from: number | undefined;
  for (const entry of history) {
    if (!('process' in entry) || entry.type === 'complaint' || !entry.process.startsWith('api-')) continue;
    if (entry.type === 'ready' || entry.type === 'continue') up.add(entry.process);
    else up.delete(entry.process);
    if (up.size === 0) from ??= entry.at;
    else if (from !== undefined) {
      downtimes.push({ from, to: entry.at });
      from = undefined;
    }
  }
  return downtimes;
}

function countedMs(whole: Interval, { answered, cut }: KeyTimes, downtimes: readonly Interval[]): number {
  const touching = (intervals: readonly Interval[]): Interval[] =>
    intervals.filter(({ from, to }) => from < whole.to && to > whole.from);
  const [down, ended, lost] = [touching(downtimes), touching(answered), touching(cut)];
  const bounds = [...down, ...ended, ...lost].flatMap(({ from, to }) => [from, to]);
  const times = [whole.from, ...bounds.filter((at) => at > whole.from && at < whole.to), whole.to].sort(
    (a, b) => a - b,
  );
  const isCounted = (at: number): boolean => !isIn(down, at) && (isIn(ended, at) || !isIn(lost, at));
  return times.slice(1).reduce((sum, to, index) => {
    const from = times[index] ?? to;
    return isCounted((from + to) / 2) ? sum + to - from : sum;
  }, 0);
}

function isIn(intervals: readonly Interval[], at: number): boolean {
  return intervals.some(({ from, to }) => from <= at && at <= to);
}
