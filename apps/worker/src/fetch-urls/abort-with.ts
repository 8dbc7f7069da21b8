/** An abort of its own that also comes with that of a signal. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Lets go of the signal. */
  release(): void;
}

/** Unlike `AbortSignal.any` it lets go of the signal when it is told to. */
export function abortWith(signal: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const forward = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  if (signal.aborted) forward();
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => signal.removeEventListener('abort', forward),
  };
}
