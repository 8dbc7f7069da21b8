import { type PDFDocument, type PDFRef, PDFString } from 'pdf-lib';
import { addNameTree } from './make-destinations.js';
import { type Addition, makeDocument } from './make-document.js';

/** Files inside the document: texts by their names. Row 10 of the research. */
export function addAttachments(files: Readonly<Record<string, string>>): Addition {
  return (document) => {
    const entries = Object.entries(files).map(([name, text]) => [name, fileOf(document, name, text)] as const);
    addNameTree(document, 'EmbeddedFiles', entries);
  };
}

/** A file that hangs on a page (0-based) as an annotation. */
export function addFileAnnotation(page: number, name: string, text: string): Addition {
  return (document) => {
    const { context } = document;
    const { ref, node } = document.getPage(page);
    const place = { Type: 'Annot', Subtype: 'FileAttachment', Rect: [200, 300, 220, 320], P: ref };
    const entries = { ...place, FS: fileOf(document, name, text), Contents: PDFString.of(name), Name: 'Paperclip' };
    node.addAnnot(context.register(context.obj(entries)));
  };
}

/** One page, two files in the name tree and one on the page; `notes.txt` is in each such document, with a text of its own. Row 10. */
export async function makeAttachments(name: string): Promise<Uint8Array> {
  return makeDocument(
    name,
    1,
    addAttachments({ 'notes.txt': `notes of ${name}`, [`${name}.csv`]: 'a,b\n1,2\n' }),
    addFileAnnotation(0, 'pinned.txt', `pinned to ${name}`),
  );
}

function fileOf({ context }: PDFDocument, name: string, text: string): PDFRef {
  const bytes = Buffer.from(text);
  const stream = context.stream(bytes, {
    Type: 'EmbeddedFile',
    Subtype: 'text#2Fplain',
    Params: { Size: bytes.length },
  });
  const embedded = context.register(stream);
  const entries = {
    Type: 'Filespec',
    F: PDFString.of(name),
    UF: PDFString.of(name),
    EF: { F: embedded, UF: embedded },
  };
  return context.register(context.obj(entries));
}
