import { createHash } from 'node:crypto';
import type { UnderlyingSource } from 'node:stream/web';
import { ConnectionError } from '../errors/connection-error.js';
import { IntegrityError } from '../errors/integrity-error.js';
import { RequestAbortedError } from '../errors/request-aborted-error.js';
import type { RequestFacts } from '../errors/request-error.js';
import { backOffMs } from '../request/back-off-ms.js';
import type { Clock } from '../request/clock.js';
import type { StreamedAnswer } from '../request/requests.js';
import { contentStart } from './content-facts.js';
import type { DownloadRequest } from './open-download.js';

/** What the bytes must be. */
export interface ExpectedContent {
  readonly sha256: string | null;
  readonly sizeBytes: number | null;
}

type Piece =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'dropped'; readonly cause: unknown };

/** The bytes of one document over as many connections as it takes, checked at their end. */
export class ResumingSource implements UnderlyingSource<Uint8Array> {
  readonly #hash = createHash('sha256');
  readonly #etag: string | null;
  #answer: StreamedAnswer;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #received = 0;
  /** Bytes of this connection that were received before. */
  #toSkip = 0;
  #connections = 1;
  #dropsWithoutProgress = 0;

  constructor(
    private readonly request: DownloadRequest,
    first: StreamedAnswer,
    private readonly expected: ExpectedContent,
    private readonly clock: Clock,
  ) {
    this.#answer = first;
    this.#reader = readerOf(first);
    this.#etag = first.response.headers.get('etag');
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const piece = await this.#next();
      if (piece.kind === 'bytes') {
        const bytes = this.#take(piece.bytes);
        if (bytes.byteLength > 0) return controller.enqueue(bytes);
      } else if (piece.kind === 'end') {
        this.#check();
        return controller.close();
      } else {
        await this.#resume(piece.cause);
      }
    }
  }

  async cancel(reason: unknown): Promise<void> {
    this.#answer.watch.end();
    await this.#reader?.cancel(reason);
  }

  async #next(): Promise<Piece> {
    const { watch } = this.#answer;
    if (this.#isEndedByCaller()) throw this.#aborted();
    watch.touch();
    try {
      const result = await this.#reader?.read();
      if (result?.done === false) return { kind: 'bytes', bytes: result.value };
    } catch (error) {
      if (this.#isEndedByCaller()) throw this.#aborted();
      if (!this.#isComplete()) return { kind: 'dropped', cause: watch.signal.aborted ? watch.signal.reason : error };
    } finally {
      watch.rest();
    }
    return this.#isShort() ? { kind: 'dropped', cause: new Error('the answer ended early') } : { kind: 'end' };
  }

  #take(bytes: Uint8Array): Uint8Array {
    const fresh = bytes.subarray(Math.min(this.#toSkip, bytes.byteLength));
    this.#toSkip -= bytes.byteLength - fresh.byteLength;
    this.#received += fresh.byteLength;
    this.#hash.update(fresh);
    if (fresh.byteLength > 0) this.#dropsWithoutProgress = 0;
    return fresh;
  }

  #check(): void {
    this.#answer.watch.end();
    const { sha256, sizeBytes } = this.expected;
    if (sizeBytes !== null && this.#received !== sizeBytes) {
      throw this.#wrong(`${this.#received} bytes arrived instead of ${sizeBytes}`);
    }
    const arrived = this.#hash.digest('hex');
    if (sha256 !== null && arrived !== sha256) throw this.#wrong(`the SHA-256 is ${arrived} instead of ${sha256}`);
  }

  async #resume(cause: unknown): Promise<void> {
    this.#answer.watch.end();
    this.#dropsWithoutProgress += 1;
    const isSafe = this.expected.sha256 !== null || this.#strongTag() !== null || this.#received === 0;
    if (!isSafe || this.#dropsWithoutProgress > this.request.retries) throw new ConnectionError(this.#facts(), cause);
    await this.#pause();
    this.#answer = await this.request.get(this.#rangeHeaders());
    this.#connections += 1;
    this.#reader = readerOf(this.#answer);
    this.#toSkip = this.#bytesToSkip(this.#answer.response);
  }

  async #pause(): Promise<void> {
    try {
      await this.clock.pause(backOffMs(this.#dropsWithoutProgress, this.clock.random()), this.request.signal);
    } catch {
      throw this.#aborted();
    }
  }

  #rangeHeaders(): Record<string, string> {
    if (this.#received === 0) return {};
    const tag = this.#strongTag();
    return { range: `bytes=${this.#received}-`, ...(tag === null ? {} : { 'if-range': tag }) };
  }

  /** A whole answer instead of the rest is read over again; one of other content is none. */
  #bytesToSkip({ status, headers }: Response): number {
    if (headers.get('etag') !== this.#etag) throw this.#wrong('the document changed between two connections');
    if (status !== 206) return this.#received;
    if (contentStart(headers) !== this.#received) throw this.#wrong('the rest begins at another byte than asked for');
    return 0;
  }

  #strongTag(): string | null {
    return this.#etag?.startsWith('"') === true ? this.#etag : null;
  }

  #isEndedByCaller(): boolean {
    return this.#answer.watch.endedBy === 'caller';
  }

  #isShort(): boolean {
    const { sizeBytes } = this.expected;
    return (sizeBytes !== null && this.#received < sizeBytes) || this.#toSkip > 0;
  }

  #isComplete(): boolean {
    return this.#received === this.expected.sizeBytes;
  }

  #wrong(what: string): IntegrityError {
    this.#answer.watch.end();
    void this.#reader?.cancel().catch(() => undefined);
    return new IntegrityError(this.request.path, what);
  }

  #aborted(): RequestAbortedError {
    return new RequestAbortedError(this.#facts(), this.request.signal?.reason);
  }

  #facts(): RequestFacts {
    return { method: 'GET', path: this.request.path, idempotencyKey: null, attempts: this.#connections };
  }
}

function readerOf({ response }: StreamedAnswer): ReadableStreamDefaultReader<Uint8Array> | undefined {
  return (response.body as ReadableStream<Uint8Array> | null)?.getReader();
}
