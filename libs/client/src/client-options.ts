/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How long and how often one call tries. */
export interface CallLimits {
  /** The longest silence: so long nothing may be sent or received, or the attempt counts as failed. Milliseconds. */
  readonly timeoutMs: number;
  /** The time of all attempts with their pauses. Milliseconds. */
  readonly deadlineMs: number;
  /** How often a request is repeated; 0 for never. */
  readonly retries: number;
}

/** What a client needs to know. */
export interface ClientOptions {
  /** Of the service, with the path under which it is found, if any. */
  readonly url: string | URL;
  readonly apiKey: string;
  /** Used instead of the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** See {@link CallLimits}; 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** See {@link CallLimits}; 10 minutes. */
  readonly deadlineMs?: number | undefined;
  /** See {@link CallLimits}; 10. */
  readonly retries?: number | undefined;
}

/** What can be said of each call. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly retries?: number | undefined;
}

/** What can be said of each call that creates or changes something. */
export interface WriteOptions extends CallOptions {
  /** Names this one request. One is made before the first attempt when it is left out; a key that you stored before survives your crash too. */
  readonly idempotencyKey?: string | undefined;
}

/** What can be said of each call that submits work. */
export interface SubmitOptions extends WriteOptions {
  /** Seconds for which the service holds its answer until the work has ended; 60 is the most. */
  readonly wait?: number | undefined;
}

/** The limits of a client whose options name none. */
export const usualLimits: CallLimits = { timeoutMs: 30_000, deadlineMs: 600_000, retries: 10 };

const longestTimerMs = 2 ** 31 - 1;

/**
 * The limits that options name, and the others.
 *
 * @throws RangeError for one that cannot be kept
 */
export function limitsOf(
  options: Partial<{ [Name in keyof CallLimits]: number | undefined }>,
  others: CallLimits,
): CallLimits {
  const { timeoutMs = others.timeoutMs, deadlineMs = others.deadlineMs, retries = others.retries } = options;
  checkTime('timeoutMs', timeoutMs);
  checkTime('deadlineMs', deadlineMs);
  if (!(retries >= 0)) throw new RangeError(`retries is ${retries}, it must be 0 or more`);
  return { timeoutMs, deadlineMs, retries };
}

function checkTime(name: string, timeMs: number): void {
  if (timeMs > 0 && timeMs <= longestTimerMs) return;
  throw new RangeError(`${name} is ${timeMs}, it must be more than 0 and at most ${longestTimerMs}`);
}
