import type { Fact, Facts } from './facts.js';

/** A request as its receiver saw it, from its beginning to its end; `endMs` is infinite while there was none. Times on the monotonic clock. */
export interface LiveRequest {
  readonly arrival: Fact<'arrival'>;
  readonly startMs: number;
  readonly endMs: number;
  readonly how: Fact<'departure'>['how'] | 'open';
  readonly isTaken: boolean;
}

/** Two requests of one delivery that were live at once. */
export interface Overlap {
  readonly deliveryId: string;
  readonly first: LiveRequest;
  readonly second: LiveRequest;
  /** The stop of a sender that explains it; `undefined` where none does. */
  readonly stop: Stop | undefined;
}

/** A time in which a process was suspended. */
export interface Stop {
  readonly process: string;
  readonly pid: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** A process that goes on is on its way to abort its request: within so long the next one may have arrived. */
const wakingMs = 1_000;

/** All requests by their delivery, in the order of their beginning. */
export function liveRequests(facts: Facts): Map<string, LiveRequest[]> {
  const departures = new Map(facts.of('departure').map((departure) => [departure.request, departure]));
  const byDelivery = new Map<string, LiveRequest[]>();
  for (const arrival of facts.of('arrival')) {
    const departure = departures.get(arrival.request);
    const live: LiveRequest = {
      arrival,
      startMs: arrival.monotonicMs,
      endMs: departure?.monotonicMs ?? Infinity,
      how: departure?.how ?? 'open',
      isTaken: departure?.how === 'answered' && departure.status < 300,
    };
    byDelivery.set(arrival.deliveryId, [...(byDelivery.get(arrival.deliveryId) ?? []), live]);
  }
  for (const lives of byDelivery.values()) lives.sort((left, right) => left.startMs - right.startMs);
  return byDelivery;
}

/** The times in which processes were suspended: until they went on, or were killed. */
export function stopsOf(facts: Facts): Stop[] {
  const ends = [...facts.of('continue'), ...facts.of('kill')];
  return facts.of('stop').map(({ process, pid, monotonicMs: startMs = NaN }) => {
    const times = ends.flatMap((end) => (end.pid === pid && end.monotonicMs !== undefined ? [end.monotonicMs] : []));
    return { process, pid, startMs, endMs: Math.min(...times.filter((ms) => ms >= startMs), Infinity) };
  });
}

/**
 * Pairs of requests of one delivery that were live at once. A stop explains one where a sender of the pair was suspended for longer than a lease
 * outlasts a request, and was still, or only just went on, when the second request began.
 */
export function overlapsOf(
  byDelivery: ReadonlyMap<string, readonly LiveRequest[]>,
  stops: readonly Stop[],
  leaseMarginMs: number,
): Overlap[] {
  const long = stops.filter(({ startMs, endMs }) => endMs - startMs >= leaseMarginMs);
  return [...byDelivery].flatMap(([deliveryId, lives]) =>
    lives.flatMap((second, index) =>
      lives
        .slice(0, index)
        .filter((first) => first.endMs > second.startMs)
        .map((first) => ({ deliveryId, first, second, stop: long.find((stop) => explains(stop, first, second)) })),
    ),
  );
}

function explains(stop: Stop, first: LiveRequest, second: LiveRequest): boolean {
  const isSender = stop.pid === first.arrival.pid || stop.pid === second.arrival.pid;
  return isSender && stop.startMs <= second.startMs && second.startMs <= stop.endMs + wakingMs;
}
