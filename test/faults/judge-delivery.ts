import type { HistoryEntry } from '../support/history.js';
import {
  complaintViolations,
  endViolations,
  type Fact,
  Facts,
  type Judgement,
  killFigures,
  refusalViolations,
} from './facts.js';
import { type LiveRequest, liveRequests, type Overlap, overlapsOf, stopsOf } from './live-requests.js';

export interface DeliveryJudgeOptions {
  /** How many faults were asked for. */
  readonly faults: number;
  /** Moments at which some process must have been killed; empty when the run is too short for that. */
  readonly points: readonly string[];
  /** The patterns of each endpoint, by its name. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  /** After so long a sender gives a request up. */
  readonly timeoutMs: number;
  /** What a lease leaves beyond the longest request. */
  readonly leaseMarginMs: number;
}

const mostOverlapsShown = 10;
/** By the receiver, and by the runner. */
const killIsSeenWithinMs = 1_000;

/** What a run of the delivery scenario is judged by. */
class Run {
  readonly facts: Facts;
  readonly events: ReadonlyMap<string, Fact<'stored'>>;
  readonly deliveries: readonly Fact<'attempts'>[];
  readonly requests: ReadonlyMap<string, readonly LiveRequest[]>;
  readonly overlaps: readonly Overlap[];

  constructor(
    history: readonly HistoryEntry[],
    readonly options: DeliveryJudgeOptions,
  ) {
    this.facts = new Facts(history);
    const events = this.facts.of('stored').filter(({ kind }) => kind === 'event');
    this.events = new Map(events.map((event) => [event.id, event]));
    this.deliveries = this.facts.of('attempts');
    this.requests = liveRequests(this.facts);
    this.overlaps = overlapsOf(this.requests, stopsOf(this.facts), options.leaseMarginMs);
  }

  requestsOf(deliveryId: string): readonly LiveRequest[] {
    return this.requests.get(deliveryId) ?? [];
  }
}

/** Judges a run of the delivery scenario by its history alone. */
export function judgeDelivery(history: readonly HistoryEntry[], options: DeliveryJudgeOptions): Judgement {
  const run = new Run(history, options);
  return {
    figures: figuresOf(run),
    violations: [
      ...eventViolations(run),
      ...deliveryViolations(run),
      ...run.deliveries.flatMap((delivery) => attemptViolations(delivery, run.requestsOf(delivery.deliveryId).length)),
      ...run.facts.of('arrival').flatMap((arrival) => arrivalViolations(arrival, run)),
      ...run.overlaps.filter(({ stop }) => stop === undefined).map(overlapLine),
      ...refusalViolations(run.facts),
      ...complaintViolations(run.facts),
      ...runViolations(run),
    ],
  };
}

/** Each job of a batch that was accepted has one end, and so has the batch. */
function eventViolations({ facts, events }: Run): string[] {
  const counts = countsOf([...events.values()].map(({ of, detail }) => `${of} ${detail}`));
  return [...facts.acceptedByKey].flatMap(([key, [accepted]]) => {
    const request = facts.requests.get(accepted?.request ?? '');
    if (request?.path !== '/v1/batches') return [];
    const batch = idOf(accepted?.location);
    return [
      ...miscount(`${key} has`, counts.get(`${batch} job.cancelled`), request.jobs, 'events of jobs'),
      ...miscount(`${key} has`, counts.get(`${batch} batch.completed`), 1, 'events of its own'),
    ];
  });
}

/** The end of `Location`. */
function idOf(location: string | null | undefined): string {
  return location?.split('/').at(-1) ?? '';
}

function miscount(who: string, found = 0, wanted = 0, what: string): string[] {
  return found === wanted ? [] : [`${who} ${found} ${what}, not ${wanted}`];
}

/** Every event was taken at least once by each endpoint that selects it, as one delivery, and by no other. */
function deliveryViolations(run: Run): string[] {
  const { events, deliveries, options } = run;
  const counts = countsOf(deliveries.map(({ eventId, endpoint }) => `${eventId} ${endpoint}`));
  const endpoints = Object.entries(options.endpoints);
  const miscounts = [...events].flatMap(([eventId, { detail }]) =>
    endpoints.flatMap(([endpoint, patterns]) => {
      const wanted = selects(patterns, detail ?? '') ? 1 : 0;
      return miscount(`${endpoint} has`, counts.get(`${eventId} ${endpoint}`), wanted, `deliveries of ${eventId}`);
    }),
  );
  return [...miscounts, ...deliveries.flatMap((delivery) => endViolationsOf(delivery, run))];
}

function endViolationsOf({ deliveryId, endpoint, state }: Fact<'attempts'>, run: Run): string[] {
  const isTaken = run.requestsOf(deliveryId).some((request) => request.isTaken);
  return [
    ...(state === 'delivered' ? [] : [`${deliveryId} to ${endpoint} is ${state}, not delivered`]),
    ...(isTaken ? [] : [`${deliveryId} was never taken by ${endpoint}`]),
  ];
}

function selects(patterns: readonly string[], type: string): boolean {
  return patterns.some(
    (pattern) => pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}

/** Attempts are numbered without holes, under claims that grow; the last one delivered and no other; each sent at most one request. */
function attemptViolations({ deliveryId, attempt, attempts }: Fact<'attempts'>, requests: number): string[] {
  const isNumbered = attempts.length === attempt && attempts.every(({ number }, index) => number === index + 1);
  const isClaimed = attempts.every(({ claim }, index) => index === 0 || claim > (attempts[index - 1]?.claim ?? 0));
  const delivered = attempts.filter(({ outcome }) => outcome === 'delivered');
  const isLast = delivered.length === 1 && attempts.at(-1)?.outcome === 'delivered';
  return [
    ...(isNumbered ? [] : [`${deliveryId} has ${attempts.length} attempts, numbered with holes, for ${attempt}`]),
    ...(isClaimed ? [] : [`${deliveryId} has claims that do not grow`]),
    ...(isLast
      ? []
      : [`${deliveryId} ends with ${attempts.at(-1)?.outcome}, and ${delivered.length} attempts delivered`]),
    ...(requests <= attempt ? [] : [`${deliveryId} was sent ${requests} times in ${attempt} attempts`]),
  ];
}

/** Signed, of an event that exists, with its stored bytes, and under one id for each delivery. */
function arrivalViolations(arrival: Fact<'arrival'>, { events, requests }: Run): string[] {
  const { request, deliveryId, eventId, endpoint, isGenuine, bodySha256 } = arrival;
  const event = events.get(eventId);
  const [first] = requests.get(deliveryId) ?? [];
  const isSame = first?.arrival.eventId === eventId && first.arrival.endpoint === endpoint;
  return [
    ...(isGenuine ? [] : [`${request} is not genuine`]),
    ...(isSame ? [] : [`${deliveryId} came with another event or to another endpoint: ${request}`]),
    ...(event === undefined ? [`${request} tells of ${eventId}, which does not exist`] : []),
    ...(event !== undefined && event.bodySha256 !== bodySha256 ? [`${request} has another body than ${eventId}`] : []),
  ];
}

function overlapLine({ deliveryId, first, second, stop }: Overlap): string {
  const liveMs = Math.round(Math.min(first.endMs, second.endMs) - second.startMs);
  const pair = `${deliveryId} had two live requests for ${liveMs} ms, of processes ${first.arrival.pid} and ${second.arrival.pid}`;
  if (stop === undefined) return `${pair}, and no stop explains it`;
  const beganMs = Math.round(second.startMs - stop.startMs);
  return `${pair}: ${stop.process} (${stop.pid}) was stopped for ${Math.round(stop.endMs - stop.startMs)} ms, and the second began after ${beganMs} ms of it`;
}

function runViolations({ facts, options, ...run }: Run): string[] {
  const done = faultsOf(facts);
  const killedAt = new Set(facts.of('kill').map(({ point }) => point));
  const isReal = run.deliveries.some(({ attempts }) => attempts.some(({ outcome }) => outcome === 'unknown'));
  return [
    ...endViolations(facts),
    ...(done < options.faults ? [`${done} of ${options.faults} faults were done`] : []),
    ...options.points.filter((point) => !killedAt.has(point)).map((point) => `no kill happened at: ${point}`),
    ...(isReal ? [] : ['the faults were not real: no attempt was lost']),
  ];
}

/** A stop counts when the process went on; otherwise its kill does. */
function faultsOf(facts: Facts): number {
  return facts.of('kill').length + facts.of('continue').length + facts.of('outage').length;
}

function figuresOf(run: Run): Judgement['figures'] {
  const { facts, events, deliveries, overlaps, options } = run;
  const explained = overlaps.filter(({ stop }) => stop !== undefined);
  const outcomes = countsOf(deliveries.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome)));
  const stops = stopsOf(facts);
  const long = stops.filter(({ startMs, endMs }) => endMs - startMs >= options.leaseMarginMs);
  const outages = (of: 'postgres' | 'kafka'): string =>
    String(facts.of('outage').filter((each) => each.of === of).length);
  return [
    ['events', String(events.size)],
    ['deliveries', String(deliveries.length)],
    ['requests', String(facts.of('arrival').length)],
    ['  by endpoint', told(countsOf(facts.of('arrival').map(({ endpoint }) => endpoint)))],
    ['attempts by outcome', told(outcomes)],
    ['requests for what was taken before', String(duplicatesOf(run))],
    ['two live requests for one delivery', String(overlaps.length)],
    ['  where a sender was stopped past its lease', String(explained.length)],
    ...explained.slice(0, mostOverlapsShown).map((overlap): [string, string] => ['    ', overlapLine(overlap)]),
    ['longest time from a kill to the next request', longestDelay(run)],
    ['faults', String(faultsOf(facts))],
    ...killFigures(facts),
    ['stops', String(stops.length)],
    ['  longer than a lease outlasts a request', String(long.length)],
    ['  that went on', String(facts.of('continue').length)],
    ['crashes of Postgres', outages('postgres')],
    ['crashes of the Kafka broker', outages('kafka')],
  ];
}

function duplicatesOf({ requests }: Run): number {
  let duplicates = 0;
  for (const lives of requests.values()) {
    const taken = lives.findIndex(({ isTaken }) => isTaken);
    if (taken >= 0) duplicates += lives.length - taken - 1;
  }
  return duplicates;
}

/** Of a delivery whose sender was killed while its request was open. */
function longestDelay({ facts, requests, options }: Run): string {
  const killedAt = new Map(facts.of('kill').map(({ pid, monotonicMs = NaN }) => [pid, monotonicMs]));
  let longest = { ms: 0, text: 'none' };
  for (const [deliveryId, lives] of requests) {
    for (const [index, live] of lives.entries()) {
      const killMs = killedAt.get(live.arrival.pid) ?? NaN;
      const isCutByKill = isCut(live, options.timeoutMs) && Math.abs(live.endMs - killMs) < killIsSeenWithinMs;
      const ms = isCutByKill ? (lives[index + 1]?.startMs ?? NaN) - killMs : NaN;
      if (ms > longest.ms)
        longest = { ms, text: `${(ms / 1_000).toFixed(1)} s (${deliveryId} to ${live.arrival.endpoint})` };
    }
  }
  return longest.text;
}

/** Its sender left before it gave up. */
function isCut({ how, startMs, endMs }: LiveRequest, timeoutMs: number): boolean {
  return how === 'left' && endMs - startMs < timeoutMs - 100;
}

function told(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
