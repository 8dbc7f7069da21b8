/** How long the endpoint's answers take, in milliseconds. */
interface Pace {
  readonly smoothedMs: number;
  readonly isDelivered: boolean;
}

const quickMs = 250;
const slowMs = 1_000;
const newestShare = 0.2;
const mostKnown = 200;

/**
 * Which endpoints answer quickly and which slowly, by what this process saw last of them. Of many it keeps the 200 that it heard of last; who is not
 * known is neither.
 */
export class EndpointPace {
  readonly #paces = new Map<string, Pace>();

  /** An attempt took so long, and was delivered or not. */
  note(endpointId: string, durationMs: number, isDelivered: boolean): void {
    const before = this.#paces.get(endpointId);
    const smoothedMs =
      before === undefined || before.isDelivered !== isDelivered
        ? durationMs
        : before.smoothedMs + newestShare * (durationMs - before.smoothedMs);
    this.#paces.delete(endpointId);
    this.#paces.set(endpointId, { smoothedMs, isDelivered });
    const [oldest] = this.#paces.keys();
    if (this.#paces.size > mostKnown && oldest !== undefined) this.#paces.delete(oldest);
  }

  /** Endpoints that take what they are sent within 250 ms. */
  quick(): string[] {
    return this.#those(({ smoothedMs, isDelivered }) => isDelivered && smoothedMs <= quickMs);
  }

  /** Endpoints whose answers, or failures to answer, take more than a second. */
  slow(): string[] {
    return this.#those(({ smoothedMs }) => smoothedMs > slowMs);
  }

  #those(isWanted: (pace: Pace) => boolean): string[] {
    return [...this.#paces].filter(([, pace]) => isWanted(pace)).map(([endpointId]) => endpointId);
  }
}
