import { constants, inflateRawSync } from 'node:zlib';
import { PDFDict, PDFName, PDFNumber, PDFRawStream } from 'pdf-lib';

/** What all object streams of a document may inflate to. A page of text takes some kilobytes of it. */
export const mostObjectStreamBytes = 64 * 2 ** 20;

const zlibHeaderBytes = 2;

/** Thrown when the object streams of a document hold more than `mostObjectStreamBytes`. */
export class ObjectStreamsTooLarge extends Error {
  override readonly name = 'ObjectStreamsTooLarge';
}

/** The same object stream without its filter. Throws `ObjectStreamsTooLarge` if it has more than `mostBytes`, and an ordinary error for a filter that is not read here. */
export function inflateObjectStream({ dict, contents }: PDFRawStream, mostBytes: number): PDFRawStream {
  const bytes = inflate(dict, contents, mostBytes);
  const plain = dict.clone();
  plain.delete(PDFName.of('Filter'));
  return PDFRawStream.of(plain, bytes);
}

function inflate(dict: PDFDict, contents: Uint8Array, mostBytes: number): Uint8Array {
  const filter = dict.lookup(PDFName.of('Filter'));
  if (filter !== undefined && (filter !== PDFName.of('FlateDecode') || usesPredictor(dict)))
    throw new Error('An object stream has a filter that is not read here.');
  if (contents.length > mostBytes) throw new ObjectStreamsTooLarge();
  if (filter === undefined) return contents;
  try {
    return inflateRawSync(contents.subarray(zlibHeaderBytes), {
      maxOutputLength: Math.max(1, mostBytes),
      finishFlush: constants.Z_SYNC_FLUSH,
    });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? new ObjectStreamsTooLarge() : error;
  }
}

function usesPredictor(dict: PDFDict): boolean {
  const parameters = dict.lookup(PDFName.of('DecodeParms'));
  if (parameters === undefined) return false;
  const predictor = parameters instanceof PDFDict ? parameters.lookup(PDFName.of('Predictor')) : null;
  return !(predictor === undefined || (predictor instanceof PDFNumber && predictor.asNumber() === 1));
}
