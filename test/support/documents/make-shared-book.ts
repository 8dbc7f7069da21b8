import { PDFDocument, type PDFDict, PDFName, type PDFRef, StandardFonts } from 'pdf-lib';
import { saveDocument } from './make-document.js';
import { noiseBytes } from './noise-bytes.js';

/** What a book is made of. */
export interface BookOptions {
  readonly pages: number;
  /** Bytes of the picture that a page alone draws. */
  readonly imageBytes?: number;
  /** Bytes of the picture that every page draws. */
  readonly logoBytes?: number;
}

/**
 * A book whose pages share one dictionary of resources, which the root of the page tree has: a picture for each page, which that page
 * alone draws, a picture that all draw, and a font. With 165 pages it has 2.8 MB. A part of it that drags all pictures along is as big as
 * the book. Row 33 of the research.
 */
export async function makeSharedBook({
  pages,
  imageBytes = 16_000,
  logoBytes = 72_000,
}: BookOptions): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context } = document;
  const images = context.obj({ Logo: addImage(document, 'logo', logoBytes) });
  const fonts = {
    F1: context.register(context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: StandardFonts.Helvetica })),
  };
  const resources = context.obj({ XObject: images, Font: fonts });
  for (let number = 1; number <= pages; number += 1) {
    images.set(PDFName.of(`Im${number}`), addImage(document, `page ${number}`, imageBytes));
    const text = `BT /F1 14 Tf 30 350 Td (Book page ${number}) Tj ET`;
    const pictures = `q 200 0 0 200 30 100 cm /Im${number} Do Q q 40 0 0 40 240 20 cm /Logo Do Q`;
    const { node } = document.addPage([300, 400]);
    node.delete(PDFName.of('Resources'));
    node.set(PDFName.of('Contents'), context.register(context.stream(`${text} ${pictures}\n`)));
  }
  pageTreeRoot(document).set(PDFName.of('Resources'), context.register(resources));
  return saveDocument(document);
}

/** The root of a page tree, from which pages inherit. */
export function pageTreeRoot({ catalog }: PDFDocument): PDFDict {
  return catalog.Pages();
}

/** A grey picture that cannot be packed further. */
export function addImage({ context }: PDFDocument, seed: string, bytes: number): PDFRef {
  const width = 100;
  const height = Math.ceil(bytes / width);
  const size = { Width: width, Height: height, ColorSpace: 'DeviceGray', BitsPerComponent: 8 };
  const pixels = noiseBytes(seed, width * height);
  return context.register(context.stream(pixels, { Type: 'XObject', Subtype: 'Image', ...size }));
}
