/** What ends an attempt from outside. */
export type AttemptEnd = 'silence' | 'deadline' | 'caller';

/** Bounds of one attempt, in milliseconds. */
export interface AttemptLimits {
  /** The longest time without {@link AttemptWatch.touch}. */
  readonly silenceMs: number;
  readonly remainingMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Watches over one attempt and aborts {@link signal} when it has been silent for too long, its time is over, or the caller wants it to end. */
export class AttemptWatch {
  readonly #controller = new AbortController();
  readonly #limits: AttemptLimits;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #endedBy: AttemptEnd | null = null;
  #isOver = false;

  constructor(limits: AttemptLimits) {
    this.#limits = limits;
    const { signal, remainingMs } = limits;
    this.#deadline = setTimeout(() => this.#abort('deadline', new Error('the deadline is over')), remainingMs);
    signal?.addEventListener('abort', this.#onCallerAbort);
    if (signal?.aborted === true) this.#onCallerAbort();
    else this.touch();
  }

  /** For what the attempt does. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What aborted the attempt; `null` when nothing did. */
  get endedBy(): AttemptEnd | null {
    return this.#endedBy;
  }

  /** Whether it was aborted or has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something was sent or received: the silence starts anew. */
  touch(): void {
    clearTimeout(this.#silence);
    if (this.#isOver) return;
    const { silenceMs } = this.#limits;
    const onSilence = () => this.#abort('silence', new Error(`nothing was sent or received for ${silenceMs} ms`));
    this.#silence = setTimeout(onSilence, silenceMs);
  }

  /** Nothing is waited for: neither silence nor deadline count until the next {@link touch}, the deadline never again. */
  rest(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#deadline);
  }

  /** The attempt is over. */
  end(): void {
    this.#isOver = true;
    this.rest();
    this.#limits.signal?.removeEventListener('abort', this.#onCallerAbort);
  }

  readonly #onCallerAbort = (): void => this.#abort('caller', this.#limits.signal?.reason);

  #abort(by: AttemptEnd, reason: unknown): void {
    this.#endedBy ??= by;
    this.end();
    this.#controller.abort(reason);
  }
}
