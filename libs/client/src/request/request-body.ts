/** Told of what becomes of a body while it is sent. */
export interface BodyWatcher {
  /** A piece of it is wanted. @throws when the attempt is over: fetch would read on to the end of the body, for nobody */
  onPiece(): void;
  /** It cannot be read. */
  onUnreadable(cause: unknown): void;
}

/** A body that is being sent. */
export interface OpenedBody {
  readonly content: string | ReadableStream<Uint8Array>;
  /** Bytes; `null` when they are not known before. */
  readonly sizeBytes: number | null;
}

/** The body of a request, opened anew for every attempt. */
export interface RequestBody {
  readonly contentType: string;
  /** Whether it can be opened more than once. */
  readonly isRepeatable: boolean;
  open(watcher: BodyWatcher): Promise<OpenedBody>;
}

/** A value as JSON. It is written down now: what becomes of the value later has no influence on later attempts. */
export function jsonBody(value: unknown): RequestBody {
  const content = JSON.stringify(value);
  return {
    contentType: 'application/json',
    isRepeatable: true,
    open: async () => ({ content, sizeBytes: null }),
  };
}
