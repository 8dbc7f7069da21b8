import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Bytes in pieces: a `ReadableStream`, a Node stream, a generator. */
export type ByteStream = AsyncIterable<Uint8Array>;

/**
 * Where the bytes of an upload come from. A path, a blob, bytes and what opens a stream are read anew for every attempt. A stream can be read once,
 * so it is taken only where retries are off.
 */
export type UploadSource =
  | Blob
  | Uint8Array
  | { readonly path: string }
  | { readonly open: () => ByteStream | Promise<ByteStream>; readonly sizeBytes?: number | undefined }
  | { readonly stream: ByteStream; readonly sizeBytes?: number | undefined };

/** A source that is being read. */
export interface OpenedSource {
  /** Bytes; `null` when they are not known before. */
  readonly sizeBytes: number | null;
  /** Nothing is opened before it is read. @throws when there are more or fewer bytes than `sizeBytes` */
  readonly pieces: ByteStream;
}

const longestPiece = 64 * 1_024;

/** Whether a source can be read again. */
export function isRepeatable(source: UploadSource): boolean {
  return !('stream' in source && typeof source.stream !== 'function');
}

/** Opens a source from its beginning. @throws when there is no such file */
export async function openSource(source: UploadSource): Promise<OpenedSource> {
  if (source instanceof Uint8Array) return opened(source.byteLength, () => once(source));
  if ('path' in source) return opened((await stat(source.path)).size, () => createReadStream(source.path));
  if ('open' in source) return opened(source.sizeBytes, () => source.open());
  if (isBlob(source)) return opened(source.size, () => source.stream());
  return opened(source.sizeBytes, () => source.stream);
}

function isBlob(source: Blob | { readonly stream: ByteStream }): source is Blob {
  return typeof source.stream === 'function';
}

function opened(sizeBytes: number | undefined, open: () => ByteStream | Promise<ByteStream>): OpenedSource {
  return { sizeBytes: sizeBytes ?? null, pieces: read(sizeBytes ?? null, open) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* read(
  sizeBytes: number | null,
  open: () => ByteStream | Promise<ByteStream>,
): AsyncGenerator<Uint8Array, void> {
  let count = 0;
  for await (const chunk of await open()) {
    count += chunk.byteLength;
    if (sizeBytes !== null && count > sizeBytes) throw new Error(`there are more than ${sizeBytes} bytes`);
    for (let at = 0; at < chunk.byteLength; at += longestPiece) yield chunk.subarray(at, at + longestPiece);
  }
  if (sizeBytes !== null && count < sizeBytes) throw new Error(`there are ${count} bytes of ${sizeBytes}`);
}
