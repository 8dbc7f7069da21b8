import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName, PDFString, StandardFonts } from 'pdf-lib';

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

/** Says that it is encrypted, as the reader sees it before it asks for a password. */
export async function encryptedPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.addPage([100, 200]);
  const { context } = document;
  const dictionary = context.obj({ Filter: 'Standard', V: 2, R: 3, Length: 128, P: -4 });
  context.trailerInfo.Encrypt = context.register(dictionary);
  return document.save({ useObjectStreams: false });
}

/** Starts like a PDF and has nothing that could be read. */
export function corruptPdf(): Uint8Array {
  return Buffer.from('%PDF-1.7\nthis is not what it seems to be\n%%EOF\n');
}

/** A page tree that is its own child: the reader's stack overflows. */
export function endlessPageTreePdf(): Uint8Array {
  return rawPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>']);
}

/** A cross-reference stream whose entries are two billion bytes wide: a reader counts through them for hours. */
export function hangingPdf(): Uint8Array {
  return crossReferencePdf('/W[1 2000000000 1]');
}

/** A cross-reference stream that announces two billion entries: a reader that believes it fills its heap. */
export function heapFillingPdf(): Uint8Array {
  return crossReferencePdf('/W[1 2 1]/Index[0 2000000000]');
}

/** An object stream that is small and inflates to so many bytes, which no heap limit counts. */
export function inflatingPdf(inflatedBytes: number): Uint8Array {
  const packed = deflateSync(Buffer.alloc(inflatedBytes, ' '), { level: 1 });
  const dictionary = `<</Type/ObjStm/N 1/First 10/Filter/FlateDecode/Length ${packed.byteLength}>>`;
  const head = `%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n3 0 obj\n${dictionary}\nstream\n`;
  return Buffer.concat([
    Buffer.from(head),
    packed,
    Buffer.from('\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n'),
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

function crossReferencePdf(entries: string): Uint8Array {
  const dictionary = `<</Type/XRef/Size 1000000${entries}/Root 1 0 R/Length 4>>`;
  return rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[]/Count 0>>',
    `${dictionary}\nstream\nabcd\nendstream`,
  ]);
}

function rawPdf(objects: readonly string[]): Uint8Array {
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.5\n${body}trailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\nstartxref\n9\n%%EOF\n`);
}
