import type { HistoryEntry, StoredKind } from '../support/history.js';
import {
  type Answered,
  complaintViolations,
  endViolations,
  type Fact,
  Facts,
  type Judgement,
  killFigures,
  refusalViolations,
  replayViolations,
} from './facts.js';
import { longestStuck, type Stuck } from './stuck-keys.js';

export interface AdmissionJudgeOptions {
  /** How many faults were asked for. */
  readonly faults: number;
  /** Moments at which some process must have been killed; empty when the run is too short for that. */
  readonly points: readonly string[];
}

/** What a client wanted under one key, and what the database has of it. */
interface Wanted {
  readonly path: string;
  readonly jobs: number;
}

/** A key must be usable again within this time after a fault. */
const longestStuckMs = 3_000;
/** Share of the faults that must have cut a request off. */
const leastHitShare = 0.1;

/** The kind of row that a request to each path makes. */
const kindOf: Readonly<Record<string, StoredKind>> = {
  '/v1/jobs': 'job',
  '/v1/batches': 'batch',
  '/v1/files': 'file',
  '/v1/webhook-endpoints': 'endpoint',
};

/** Judges a run of the admission scenario by its history alone. */
export function judgeAdmission(history: readonly HistoryEntry[], options: AdmissionJudgeOptions): Judgement {
  const facts = new Facts(history);
  const stored = new Stored(facts);
  const wanted = wantedByKey(facts);
  const stuck = longestStuck(history);
  return {
    figures: figuresOf(facts, stored, wanted, stuck),
    violations: [
      ...replayViolations(facts),
      ...refusalViolations(facts),
      ...[...wanted].flatMap(([key, want]) => keyViolations(key, want, facts, stored)),
      ...strangers(wanted, stored),
      ...jobViolations(stored),
      ...(stuck.ms > longestStuckMs ? [`${stuck.key} was stuck for ${stuck.ms} ms`] : []),
      ...complaintViolations(facts),
      ...runViolations(facts, options),
    ],
  };
}

/** The rows that were there at the end. */
class Stored {
  readonly #byKind = new Map<StoredKind, Fact<'stored'>[]>();
  readonly #byKey = new Map<string, Fact<'stored'>[]>();
  readonly #byOwner = new Map<string, Fact<'stored'>[]>();

  constructor(facts: Facts) {
    for (const row of facts.of('stored')) {
      add(this.#byKind, row.kind, row);
      add(this.#byKey, row.idempotencyKey ?? '', row);
      if (row.of !== undefined && row.of !== null) add(this.#byOwner, row.of, row);
    }
  }

  all(kind: StoredKind): readonly Fact<'stored'>[] {
    return this.#byKind.get(kind) ?? [];
  }

  ofKey(kind: StoredKind, key: string): readonly Fact<'stored'>[] {
    return (this.#byKey.get(key) ?? []).filter((row) => row.kind === kind);
  }

  of(owner: string, kind: StoredKind): readonly Fact<'stored'>[] {
    return (this.#byOwner.get(owner) ?? []).filter((row) => row.kind === kind);
  }
}

function add<K>(groups: Map<K, Fact<'stored'>[]>, name: K, row: Fact<'stored'>): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [row]);
  else group.push(row);
}

function wantedByKey(facts: Facts): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const { idempotencyKey, path, payload, jobs = 0 } of facts.requests.values()) {
    if (idempotencyKey !== undefined && payload !== undefined) wanted.set(idempotencyKey, { path, jobs });
  }
  return wanted;
}

/** One key stands for one thing, made of the body that was accepted, with as many jobs as that asks for. */
function keyViolations(key: string, want: Wanted, facts: Facts, stored: Stored): string[] {
  const [accepted] = facts.acceptedByKey.get(key) ?? [];
  if (accepted === undefined) return [`${key} was never accepted`];
  return [...recordViolations(key, accepted, stored), ...thingViolations(key, want, facts, stored)];
}

function recordViolations(key: string, { location, bodySha256 }: Answered, stored: Stored): string[] {
  const records = stored.ofKey('key', key);
  const [record] = records;
  if (record === undefined || records.length > 1) return [`${key} has ${records.length} records`];
  const isSame = record.detail === null || record.detail === bodySha256;
  return [
    ...(record.id === location ? [] : [`the record of ${key} names ${record.id}, not ${location}`]),
    ...(isSame ? [] : [`the record of ${key} keeps another answer than was given`]),
  ];
}

function thingViolations(key: string, { path, jobs }: Wanted, facts: Facts, stored: Stored): string[] {
  const payloads = facts.acceptedPayloads(key);
  const id = acceptedId(facts, key);
  const kind = kindOf[path] ?? 'job';
  const made = stored.ofKey('job', key);
  const things = kind === 'batch' ? stored.all('batch').filter((row) => row.id === id) : stored.ofKey(kind, key);
  const foreign = [...made, ...things].filter(({ payload }) => typeof payload === 'string' && !payloads.has(payload));
  const isElsewhere = kind === 'batch' && made.some(({ of }) => of !== id);
  return [
    ...(payloads.size === 1 ? [] : [`${key} was accepted with ${payloads.size} bodies`]),
    ...(things.length === 1 ? [] : [`${key} has ${things.length} ${kind} rows`]),
    ...things.filter((row) => row.id !== id).map((row) => `${key} made ${row.id}, not ${id}`),
    ...(made.length === jobs ? [] : [`${key} has ${made.length} jobs, not ${jobs}`]),
    ...(isElsewhere ? [`${key} has jobs outside its batch`] : []),
    ...foreign.map((row) => `${row.id} of ${key} has the body that was refused`),
  ];
}

/** The end of `Location`. */
function acceptedId(facts: Facts, key: string): string {
  return facts.acceptedByKey.get(key)?.[0]?.location?.split('/').at(-1) ?? '';
}

/** Rows that no accepted request made. */
function strangers(wanted: ReadonlyMap<string, Wanted>, stored: Stored): string[] {
  const isUnknown = ({ idempotencyKey }: Fact<'stored'>): boolean => !wanted.has(idempotencyKey ?? '');
  const rows = (['job', 'file', 'endpoint', 'key'] as const).flatMap((kind) => stored.all(kind)).filter(isUnknown);
  const batches = stored.all('batch').filter(({ id }) => stored.of(id, 'job').length === 0);
  const owners = new Set([...stored.all('job'), ...stored.all('batch')].map(({ id }) => id));
  const parts = (['command', 'event', 'usage'] as const).flatMap((kind) => stored.all(kind));
  return [
    ...[...rows, ...batches].map(({ kind, id }) => `the ${kind} ${id} exists though nobody asked for it`),
    ...parts
      .filter(({ of }) => !owners.has(of ?? ''))
      .map(({ kind, of }) => `there is a ${kind} of ${of}, which does not exist`),
  ];
}

/** Every job and batch has ended well, and each step of it is there once. */
function jobViolations(stored: Stored): string[] {
  const counted = (id: string, kind: StoredKind): string[] => {
    const { length } = stored.of(id, kind);
    return length === 1 ? [] : [`${id} has ${length} ${kind} rows`];
  };
  const unfinished = [...stored.all('job'), ...stored.all('batch')].filter(({ detail }) => detail !== 'completed');
  return [
    ...unfinished.map(({ id, detail }) => `${id} is ${detail}, not completed`),
    ...stored
      .all('job')
      .flatMap(({ id }) => (['command', 'event', 'usage'] as const).flatMap((kind) => counted(id, kind))),
    ...stored.all('batch').flatMap(({ id }) => counted(id, 'event')),
  ];
}

function runViolations(facts: Facts, options: AdmissionJudgeOptions): string[] {
  const killedAt = new Set(facts.of('kill').map(({ point }) => point));
  const done = faultsOf(facts);
  const cut = facts.cutRequests();
  return [
    ...endViolations(facts),
    ...(done < options.faults ? [`${done} of ${options.faults} faults were done`] : []),
    ...options.points.filter((point) => !killedAt.has(point)).map((point) => `no kill happened at: ${point}`),
    ...(cut > leastHitShare * done ? [] : [`the faults were not real: ${cut} requests were cut off by ${done}`]),
  ];
}

/** A stop counts when the process went on; otherwise its kill does. */
function faultsOf(facts: Facts): number {
  return facts.of('kill').length + facts.of('continue').length + facts.of('terminate').length;
}

function figuresOf(
  facts: Facts,
  stored: Stored,
  wanted: ReadonlyMap<string, Wanted>,
  stuck: Stuck,
): Judgement['figures'] {
  const count = (rows: readonly unknown[]): string => String(rows.length);
  const jobs = [...wanted.values()].reduce((sum, want) => sum + want.jobs, 0);
  const answers = facts.of('answer').flatMap((answer) => ('status' in answer ? [answer] : []));
  const coded = (code: string): string => count(answers.filter((answer) => answer.code === code));
  const events = stored.all('event');
  const batchEvents = events.filter(({ detail }) => detail === 'batch.completed');
  return [
    ['keys', String(wanted.size)],
    ...Object.entries(kindOf).map(([path, kind]): [string, string] => [
      `  of ${path}`,
      `${[...wanted.values()].filter((want) => want.path === path).length} (${kind} rows: ${stored.all(kind).length})`,
    ]),
    ['requests sent', String(facts.requests.size)],
    ['requests cut off', String(facts.cutRequests())],
    ['replayed answers', String(facts.replays())],
    ['answers idempotency_key_in_use', coded('idempotency_key_in_use')],
    ['answers idempotency_key_reused', coded('idempotency_key_reused')],
    ['answers 503', count(answers.filter(({ status }) => status === 503))],
    ['accepted jobs', String(jobs)],
    ['jobs', count(stored.all('job'))],
    ['job.submitted commands', count(stored.all('command'))],
    ['terminal events', String(events.length - batchEvents.length)],
    ['usage records', count(stored.all('usage'))],
    ['batches', count(stored.all('batch'))],
    ['batch.completed events', count(batchEvents)],
    ['times a fault left a key undecided', String(stuck.interruptions)],
    ['longest time a key was stuck', `${stuck.ms} ms${stuck.key === '' ? '' : ` (${stuck.key})`}`],
    ['  with later faults and downtime', `${stuck.wholeMs} ms`],
    ['faults', String(faultsOf(facts))],
    ...killFigures(facts),
    ['stops', count(facts.of('stop'))],
    ['  that went on', count(facts.of('continue'))],
    ['times sessions were terminated', count(facts.of('terminate'))],
  ];
}
