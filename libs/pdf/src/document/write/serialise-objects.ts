import { deflateSync } from 'node:zlib';
import type { PDFContext, PDFObject } from 'pdf-lib';
import { PDFName, PDFNumber, PDFRef, PDFStream } from 'pdf-lib';

const objectsPerStream = 100;
/** Four bytes above 127 after the header say that the file is binary (ISO 32000-1, 7.5.2). */
const header = Buffer.from('%PDF-1.7\n%\x81\x81\x81\x81\n', 'latin1');

/** Where an object is: in the file, or in an object stream. The fields are those of a cross-reference stream (ISO 32000-1, table 18). */
type Entry = readonly [number: number, type: 1 | 2, where: number, which: number];

/** The bytes of a file with these objects: streams by themselves, all others in object streams (ISO 32000-1, 7.5.7). */
export function serialiseObjects(context: PDFContext): Buffer {
  const file = new ObjectFile();
  const packed: (readonly [PDFRef, PDFObject])[] = [];
  for (const indirect of context.enumerateIndirectObjects()) {
    const [ref, object] = indirect;
    if (object instanceof PDFStream) file.addStream(ref, object);
    else if (ref.generationNumber !== 0) file.add(ref, object.toString());
    else packed.push(indirect);
  }
  let number = context.largestObjectNumber;
  for (let at = 0; at < packed.length; at += objectsPerStream) {
    number += 1;
    file.addObjectStream(PDFRef.of(number), packed.slice(at, at + objectsPerStream), context);
  }
  return file.end(PDFRef.of(number + 1), context);
}

/** A file that grows object by object, and knows where each is. */
class ObjectFile {
  private readonly chunks: Uint8Array[] = [header];
  private readonly entries: Entry[] = [[0, 1, 0, 0]];
  private length = header.length;

  add(ref: PDFRef, text: string): void {
    this.begin(ref);
    this.write(`${text}\nendobj\n`);
  }

  addStream(ref: PDFRef, stream: PDFStream): void {
    const contents = stream.getContents();
    stream.dict.set(PDFName.of('Length'), PDFNumber.of(contents.length));
    this.begin(ref);
    this.write(`${stream.dict.toString()}\nstream\n`);
    this.append(contents);
    this.write('\nendstream\nendobj\n');
  }

  addObjectStream(ref: PDFRef, objects: readonly (readonly [PDFRef, PDFObject])[], context: PDFContext): void {
    let [offsets, text] = ['', ''];
    for (const [index, [{ objectNumber }, object]] of objects.entries()) {
      offsets += `${objectNumber} ${text.length} `;
      text += `${object.toString()}\n`;
      this.entries.push([objectNumber, 2, ref.objectNumber, index]);
    }
    const keys = { Type: 'ObjStm', N: objects.length, First: offsets.length };
    this.addStream(ref, packedStream(context, Buffer.from(offsets + text, 'latin1'), keys));
  }

  /** Adds the cross-reference stream and the end. */
  end(ref: PDFRef, context: PDFContext): Buffer {
    const start = this.length;
    const entries: Entry[] = [...this.entries, [ref.objectNumber, 1, start, 0]];
    entries.sort(([one], [other]) => one - other);
    const widths = [1, Math.ceil(Math.log2(Math.max(start, ref.objectNumber) + 1) / 8), 2] as const;
    const { Root, Info, ID } = context.trailerInfo;
    const trailer = { Root, ...(Info === undefined ? {} : { Info }), ...(ID === undefined ? {} : { ID }) };
    const keys = { Type: 'XRef', Size: ref.objectNumber + 1, W: [...widths], Index: runsOf(entries), ...trailer };
    this.addStream(ref, packedStream(context, tableOf(entries, widths), keys));
    this.write(`startxref\n${start}\n%%EOF\n`);
    return Buffer.concat(this.chunks, this.length);
  }

  private begin({ objectNumber, generationNumber }: PDFRef): void {
    this.entries.push([objectNumber, 1, this.length, generationNumber]);
    this.write(`${objectNumber} ${generationNumber} obj\n`);
  }

  private write(text: string): void {
    this.append(Buffer.from(text, 'latin1'));
  }

  private append(bytes: Uint8Array): void {
    this.chunks.push(bytes);
    this.length += bytes.length;
  }
}

function packedStream(context: PDFContext, bytes: Buffer, keys: Parameters<PDFContext['stream']>[1]): PDFStream {
  return context.stream(deflateSync(bytes), { ...keys, Filter: 'FlateDecode' });
}

/** First number and length of each run of numbers without a gap. */
function runsOf(entries: readonly Entry[]): number[] {
  const runs: number[] = [];
  let [first, length] = [0, 0];
  for (const [number] of entries) {
    if (number !== first + length) {
      runs.push(first, length);
      [first, length] = [number, 0];
    }
    length += 1;
  }
  return [...runs, first, length];
}

/** Object 0 is the head of the list of free objects, which is empty. */
function tableOf(entries: readonly Entry[], widths: readonly [number, number, number]): Buffer {
  const rowBytes = widths[0] + widths[1] + widths[2];
  const table = Buffer.alloc(entries.length * rowBytes);
  for (const [index, [number, type, where, which]] of entries.entries()) {
    const at = index * rowBytes;
    table.writeUInt8(number === 0 ? 0 : type, at);
    table.writeUIntBE(where, at + widths[0], widths[1]);
    table.writeUInt16BE(number === 0 ? 65_535 : which, at + widths[0] + widths[1]);
  }
  return table;
}
