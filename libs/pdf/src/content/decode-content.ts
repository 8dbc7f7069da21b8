import { PDFRawStream, type PDFStream } from 'pdf-lib';
import { decodeStream } from './decode-stream.js';

/** More than any page needs; a stream that inflates to more is made to fill the memory. */
const mostContentBytes = 64 * 2 ** 20;
const newline = Buffer.from('\n');

/** The bytes of streams in a row, as the one content that they are; `null` if one cannot be decoded, or all are too large. */
export function decodeContent(streams: readonly PDFStream[]): Uint8Array | null {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const stream of streams) {
    const decoding = { mostBytes: mostContentBytes - length, damaged: 'keep' } as const;
    const part = stream instanceof PDFRawStream ? decodeStream(stream, decoding) : null;
    if (part === null) return null;
    parts.push(part, newline);
    length += part.length + 1;
  }
  return Buffer.concat(parts);
}
