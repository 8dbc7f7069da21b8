import type { BodyWatcher, RequestBody } from '../request/request-body.js';
import { type ByteStream, isRepeatable, openSource, type OpenedSource, type UploadSource } from './upload-source.js';

/** A text part. */
export interface FieldPart {
  readonly name: string;
  readonly value: string;
}

/** A part that is a file. */
export interface FilePart {
  readonly name: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly source: UploadSource;
}

interface OpenedPart {
  readonly head: Uint8Array;
  readonly content: OpenedSource;
}

const lineEnd = new TextEncoder().encode('\r\n');

/**
 * A body of `multipart/form-data` (RFC 7578): first the fields, then the files, each read from its source while it is sent.
 *
 * @param boundary must not occur in what is sent; a random one does not
 */
export function multipartBody(fields: readonly FieldPart[], files: readonly FilePart[], boundary: string): RequestBody {
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    isRepeatable: files.every(({ source }) => isRepeatable(source)),
    open: async (watcher) => {
      const parts = await Promise.all([
        ...fields.map((field) => openField(field, boundary)),
        ...files.map((file) => openFile(file, boundary)),
      ]);
      const tail = encode(`--${boundary}--\r\n`);
      return { content: ReadableStream.from(piecesOf(parts, tail, watcher)), sizeBytes: sizeOf(parts, tail) };
    },
  };
}

/** The lines before the content of a part; names are escaped as browsers do (HTML, "multipart/form-data encoding algorithm"). */
export function partHead(boundary: string, name: string, file?: Pick<FilePart, 'fileName' | 'mediaType'>): string {
  const disposition = `content-disposition: form-data; name="${escape(name)}"`;
  if (file === undefined) return `--${boundary}\r\n${disposition}\r\n\r\n`;
  const type = file.mediaType.replaceAll(/[\r\n]/g, '');
  return `--${boundary}\r\n${disposition}; filename="${escape(file.fileName)}"\r\ncontent-type: ${type}\r\n\r\n`;
}

function escape(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

async function openField({ name, value }: FieldPart, boundary: string): Promise<OpenedPart> {
  return { head: encode(partHead(boundary, name)), content: await openSource(encode(value)) };
}

async function openFile(file: FilePart, boundary: string): Promise<OpenedPart> {
  return { head: encode(partHead(boundary, file.name, file)), content: await openSource(file.source) };
}

function sizeOf(parts: readonly OpenedPart[], tail: Uint8Array): number | null {
  let sizeBytes = tail.byteLength;
  for (const { head, content } of parts) {
    if (content.sizeBytes === null) return null;
    sizeBytes += head.byteLength + content.sizeBytes + lineEnd.byteLength;
  }
  return sizeBytes;
}

async function* piecesOf(
  parts: readonly OpenedPart[],
  tail: Uint8Array,
  watcher: BodyWatcher,
): AsyncGenerator<Uint8Array> {
  for (const { head, content } of parts) {
    yield head;
    for await (const piece of readable(content.pieces, watcher)) {
      watcher.onPiece();
      yield piece;
    }
    yield lineEnd;
  }
  yield tail;
}

async function* readable(pieces: ByteStream, watcher: BodyWatcher): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    watcher.onUnreadable(error);
    throw error;
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
