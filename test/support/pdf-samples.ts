import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName, PDFString, StandardFonts } from 'pdf-lib';
import { runQpdfModule } from './documents/qpdf-module.js';

/** What a sample has besides its pages. */
export interface SampleOptions {
  readonly title?: string;
  readonly createdAt?: Date;
  readonly signed?: boolean;
  readonly tagged?: boolean;
}

/**
 * A PDF with one page for each width. Each page has text of its own and its width, so that the order of pages can be checked by
 * their sizes.
 */
export async function samplePdf(widths: readonly number[], options: SampleOptions = {}): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const width of widths) {
    document.addPage([width, 200]).drawText(`Page of width ${width}`, { x: 10, y: 100, size: 12, font });
  }
  describe(document, options);
  return document.save({ addDefaultPage: false });
}

/** Widths from `first` upwards, one for each of so many pages. */
export function widthsFrom(first: number, pages: number): number[] {
  return Array.from({ length: pages }, (_, index) => first + index);
}

/** The widths of the pages of a PDF, in their order. */
export async function pageWidths(bytes: Uint8Array): Promise<number[]> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  return document.getPages().map((page) => page.getWidth());
}

/** Two pages; the first has a link to the second, whose content holds the text. */
export async function linkedPdf(textOfSecondPage: string): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const [first, second] = [document.addPage([100, 200]), document.addPage([101, 200])];
  const { context } = document;
  second.node.set(PDFName.of('Contents'), context.register(context.stream(`(${textOfSecondPage}) Tj`)));
  const link = context.obj({
    Type: 'Annot',
    Subtype: 'Link',
    Rect: [0, 0, 9, 9],
    Dest: [second.ref, 'Fit'],
    P: first.ref,
  });
  first.node.set(PDFName.of('Annots'), context.obj([context.register(link)]));
  return document.save({ useObjectStreams: false });
}

/** One page, encrypted; either password opens it. */
export async function encryptedPdf(userPassword = 'user', ownerPassword = 'owner'): Promise<Uint8Array> {
  const args = ['--encrypt', userPassword, ownerPassword, '256', '--', '/in.pdf', '/out.pdf'];
  const encrypted = await runQpdfModule(args, { '/in.pdf': await samplePdf([100]) });
  return encrypted.read('/out.pdf');
}

/** Starts like a PDF and has nothing that could be read. */
export function corruptPdf(): Uint8Array {
  return Buffer.from('%PDF-1.7\nthis is not what it seems to be\n%%EOF\n');
}

/** A page tree that is its own child: the reader's stack overflows. */
export function endlessPageTreePdf(): Uint8Array {
  return rawPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>']);
}

/** Blanks between objects: the reader looks for an object at each of them, over all that follow. */
export function hangingPdf(): Uint8Array {
  return Buffer.from(`%PDF-1.7\n1 0 obj\nnull\nendobj\nx${' '.repeat(400_000)}x\n%%EOF\n`);
}

/** An object stream that is small and inflates to an array of millions of arrays, which fill the heap. */
export function heapFillingPdf(): Uint8Array {
  const content = deflateSync(`1 0 [${'[]'.repeat(20_000_000)}]`, { level: 1 });
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.5\n2 0 obj\n<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length ${content.length}>>\nstream\n`,
    ),
    content,
    Buffer.from('\nendstream\nendobj\n%%EOF\n'),
  ]);
}

/** Encrypted by its own account, and an object stream that is small and inflates to so many bytes, which no heap limit counts. */
export function inflatingPdf(inflatedBytes: number): Uint8Array {
  const packed = deflateSync(Buffer.alloc(inflatedBytes, ' '), { level: 1 });
  const head = `%PDF-1.5\n% /Encrypt\n1 0 obj\n<</Type/ObjStm/N 1/First 10/Filter/FlateDecode/Length ${packed.length}>>\nstream\n`;
  const offset = head.length + packed.length + '\nendstream\nendobj\n'.length;
  const objectStreamAt = head.indexOf('1 0 obj');
  // Object 1 is in the file, 2 is the first in object 1, 3 is this cross-reference.
  const entries = [
    [0, 0, 65_535],
    [1, objectStreamAt, 0],
    [2, 1, 0],
    [1, offset, 0],
  ];
  const table = Buffer.concat(
    entries.map(([type = 0, where = 0, which = 0]) => {
      const entry = Buffer.alloc(7);
      entry.writeUInt8(type);
      entry.writeUInt32BE(where, 1);
      entry.writeUInt16BE(which, 5);
      return entry;
    }),
  );
  const dictionary = `<</Type/XRef/Size 4/W[1 4 2]/Root 2 0 R/Length ${table.length}>>`;
  return Buffer.concat([
    Buffer.from(head),
    packed,
    Buffer.from(`\nendstream\nendobj\n3 0 obj\n${dictionary}\nstream\n`),
    table,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${offset}\n%%EOF\n`),
  ]);
}

function describe(document: PDFDocument, { title, createdAt, signed, tagged }: SampleOptions): void {
  const { catalog, context } = document;
  if (title !== undefined) document.setTitle(title);
  if (createdAt !== undefined) document.setCreationDate(createdAt);
  if (tagged === true) catalog.set(PDFName.of('StructTreeRoot'), context.obj({ Type: 'StructTreeRoot' }));
  if (signed !== true) return;
  const field = context.register(context.obj({ FT: 'Sig', T: PDFString.of('signature') }));
  catalog.set(PDFName.of('AcroForm'), context.obj({ SigFlags: 3, Fields: [field] }));
}

function rawPdf(objects: readonly string[]): Uint8Array {
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.5\n${body}trailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\nstartxref\n9\n%%EOF\n`);
}
