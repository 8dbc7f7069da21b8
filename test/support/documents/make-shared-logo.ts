import { PDFDict, PDFName } from 'pdf-lib';
import { makeDocument } from './make-document.js';
import { addImage } from './make-shared-book.js';

/** A page with a picture that is the same, byte by byte, in each document made by this. Row 35 of the research: a merge stores it once. */
export async function makeLogoPage(name: string, logoBytes = 20_000): Promise<Uint8Array> {
  return makeDocument(name, 1, (document) => {
    const { context } = document;
    const { node } = document.getPage(0);
    const images = context.obj({});
    images.set(PDFName.of('Logo'), addImage(document, 'the logo of all', logoBytes));
    node.lookup(PDFName.of('Resources'), PDFDict).set(PDFName.of('XObject'), images);
    node.addContentStream(context.register(context.stream('q 100 0 0 100 30 200 cm /Logo Do Q\n')));
  });
}
