import type { Clock } from '../request/clock.js';
import type { StreamedAnswer } from '../request/requests.js';
import { contentSha256, contentSizeBytes } from './content-facts.js';
import { ResumingSource } from './resuming-source.js';

/** A document that is being received. */
export interface Download {
  /**
   * Its bytes. A dropped connection is resumed where it broke. The end comes only when every byte has arrived and their hash is right; otherwise
   * the stream fails, with IntegrityError, ConnectionError, RequestRefusedError, DeadlineExceededError or RequestAbortedError.
   */
  readonly stream: ReadableStream<Uint8Array>;
  readonly mediaType: string;
  /** Bytes; `null` when the service does not say. */
  readonly sizeBytes: number | null;
  /** What the bytes are checked against; `null` when nothing is known, and nothing checked. */
  readonly sha256: string | null;
}

/** What to download. */
export interface DownloadRequest {
  readonly path: string;
  /** What is known of it, to check it by. */
  readonly known: { readonly sha256: string; readonly sizeBytes: number } | null;
  /** How often it is resumed without a byte of progress. */
  readonly retries: number;
  readonly signal: AbortSignal | undefined;
  /** Asks for the document, with these headers. */
  readonly get: (headers: Readonly<Record<string, string>>) => Promise<StreamedAnswer>;
}

/** Asks for a document and resolves as soon as it begins to arrive. */
export async function openDownload(request: DownloadRequest, clock: Clock): Promise<Download> {
  const first = await request.get({});
  const { headers } = first.response;
  const sha256 = request.known?.sha256 ?? contentSha256(headers);
  const sizeBytes = request.known?.sizeBytes ?? contentSizeBytes(headers);
  const source = new ResumingSource(request, first, { sha256, sizeBytes }, clock);
  return {
    stream: new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }),
    mediaType: headers.get('content-type') ?? 'application/octet-stream',
    sizeBytes,
    sha256,
  };
}
