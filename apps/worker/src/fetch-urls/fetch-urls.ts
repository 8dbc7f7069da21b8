import type { GuardedAgent } from '#libs/egress';
import type { ClaimedInput, ClaimedJob, ClaimStore } from '#libs/persistence';
import { BlobTooLarge } from '#libs/storage';
import { mapConcurrently } from '../run-job/map-concurrently.js';
import type { StoredObject, StoreObject } from '../run-job/store-object.js';
import { abortWith, type LinkedAbort } from './abort-with.js';
import { FetchFailed, TooLargeTogether } from './fetch-failed.js';
import { inputError, inputTimeout } from './input-error.js';
import { InputFailed } from './input-failed.js';
import { type OpenedUrl, openUrl } from './open-url.js';

/** What fetching works with. */
export interface FetchUrlsOptions {
  readonly agent: GuardedAgent;
  readonly userAgent: string;
  readonly objects: StoreObject;
  readonly claims: Pick<ClaimStore, 'recordInput'>;
  /** For all URLs of one attempt. */
  readonly timeoutMs: number;
  /** The longest silence of a server. */
  readonly idleMs: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
}

/** The fetching of one attempt: what ends it, whether that was its time, and how many bytes have come. */
interface Stage {
  readonly job: ClaimedJob;
  readonly signal: AbortSignal;
  isLate: boolean;
  bytes: number;
}

const atOnce = 4;

/**
 * Fetches the inputs that a job names by URL, each as an object of its claim, and makes them the job's: a later attempt finds them stored. The
 * first that fails ends the others.
 */
export class FetchUrls {
  constructor(private readonly options: FetchUrlsOptions) {}

  /**
   * @returns the inputs, every one stored
   * @throws InputFailed, or what says nothing of an input: an error of the storage or of the database, a lost claim
   */
  async fetch(job: ClaimedJob, signal: AbortSignal): Promise<readonly ClaimedInput[]> {
    if (job.inputs.every(({ url }) => url === null)) return job.inputs;
    const abort = abortWith(signal);
    const stage: Stage = { job, signal: abort.signal, isLate: false, bytes: 0 };
    const timer = setTimeout(() => {
      stage.isLate = true;
      abort.abort(new Error('the inputs were not fetched in time'));
    }, this.options.timeoutMs);
    try {
      return await mapConcurrently(job.inputs, atOnce, (input, index) => this.fetchInput(stage, abort, input, index));
    } finally {
      clearTimeout(timer);
      abort.release();
    }
  }

  private async fetchInput(
    stage: Stage,
    abort: LinkedAbort,
    input: ClaimedInput,
    index: number,
  ): Promise<ClaimedInput> {
    if (input.url === null) return input;
    try {
      return { ...input, ...(await this.fetchOne(stage, input.url, index)), url: null };
    } catch (error) {
      abort.abort(error);
      throw error;
    }
  }

  private async fetchOne(stage: Stage, url: string, index: number): Promise<Pick<ClaimedInput, 'name' | 'objectName'>> {
    const { claims, objects } = this.options;
    const { job, signal } = stage;
    const { opened, stored } = await this.download(stage, url).catch((error: unknown) => {
      throw this.failureOf(stage, { index, url }, error);
    });
    const { name, mediaType } = opened;
    const { objectId, size: sizeBytes, sha256 } = stored;
    const write = objects.writing(job, signal);
    const isHeld = await write(() => claims.recordInput(job, { index, name, mediaType, sizeBytes, sha256, objectId }));
    if (!isHeld) throw new Error('the claim was lost while an input was fetched');
    return { name, objectName: stored.name };
  }

  private async download(stage: Stage, url: string): Promise<{ opened: OpenedUrl; stored: StoredObject }> {
    const { agent, userAgent, idleMs, maxFileBytes: maxBytes, objects } = this.options;
    const { job, signal } = stage;
    signal.throwIfAborted();
    const opened = await openUrl(url, { agent, userAgent, idleMs, signal });
    try {
      if (opened.length !== null && opened.length > maxBytes) throw new BlobTooLarge(maxBytes);
      const source = this.counted(stage, opened.body);
      return { opened, stored: await objects.store(job, { purpose: 'input', source, maxBytes }, signal) };
    } finally {
      opened.close();
    }
  }

  private async *counted(stage: Stage, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { maxTotalBytes } = this.options;
    try {
      for await (const chunk of body) {
        stage.bytes += chunk.byteLength;
        if (stage.bytes > maxTotalBytes) throw new TooLargeTogether(maxTotalBytes);
        yield chunk;
      }
    } catch (error) {
      throw new FetchFailed(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private failureOf(stage: Stage, input: { readonly index: number; readonly url: string }, error: unknown): unknown {
    if (stage.isLate) {
      const what = `it took longer than ${this.options.timeoutMs / 1_000} s (INPUT_TIMEOUT)`;
      return new InputFailed(inputTimeout(input, what), { cause: error });
    }
    if (!(error instanceof FetchFailed || error instanceof BlobTooLarge)) return error;
    return new InputFailed(inputError(input, error), { cause: error });
  }
}
