import { type PDFContext, PDFName, type PDFObject, type PDFRef, PDFString } from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';

/** On a page (0-based): a note with its popup, a reply to it, a mark over the text, and a stamp with an appearance. Row 45 of the research. */
export function addAnnotations(page: number): Addition {
  return (document) => {
    const { context } = document;
    const { ref, node } = document.getPage(page);
    const add = (at: PDFRef, entries: Record<string, PDFObject | string | number | number[]>): PDFRef => {
      context.assign(at, context.obj({ Type: 'Annot', P: ref, F: 4, ...entries }));
      node.addAnnot(at);
      return at;
    };
    const [note, popup] = [context.nextRef(), context.nextRef()];
    const place = { Rect: [200, 200, 220, 220], T: PDFString.of('Ada') };
    add(note, { Subtype: 'Text', ...place, Contents: PDFString.of('a note'), Popup: popup });
    add(popup, { Subtype: 'Popup', Rect: [220, 180, 290, 230], Parent: note });
    add(context.nextRef(), { Subtype: 'Text', ...place, Contents: PDFString.of('a reply'), IRT: note, RT: 'R' });
    const corners = [30, 364, 120, 364, 30, 346, 120, 346];
    add(context.nextRef(), { Subtype: 'Highlight', Rect: [30, 346, 120, 364], QuadPoints: corners, C: [1, 1, 0] });
    add(context.nextRef(), { Subtype: 'Stamp', Rect: [200, 100, 260, 120], AP: context.obj({ N: stamp(context) }) });
    node.set(PDFName.of('Tabs'), PDFName.of('S'));
  };
}

/** Two pages; the first has such annotations. */
export async function makeAnnotations(name: string): Promise<Uint8Array> {
  return makeDocument(name, 2, addAnnotations(0));
}

function stamp(context: PDFContext): PDFRef {
  const entries = { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 60, 20] };
  return context.register(context.stream('0 0.6 0 rg 0 0 60 20 re f', entries));
}
