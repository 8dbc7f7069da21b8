import { type PDFDocument, PDFDict, PDFName, type PDFRef, PDFString } from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';

/**
 * Tagged structure: a chapter for each page with one paragraph, whose text is marked content of the page, and on the first page a link that the
 * structure holds too (OBJR). The parent tree leads from pages and link back; `Chapter` is mapped to `Sect`. Row 11 of the research.
 */
export function addStructure(): Addition {
  return (document) => {
    const { context, catalog } = document;
    const [root, top] = [context.nextRef(), context.nextRef()];
    const pages = document.getPages();
    const chapters = pages.map((_, page) => addChapter(document, top, page));
    const link = addTaggedLink(document, top, pages.length);
    const parents = [...chapters.flatMap(({ paragraph }, key) => [key, [paragraph]]), pages.length, link];
    const kids = [...chapters.map(({ chapter }) => chapter), link];
    context.assign(top, context.obj({ Type: 'StructElem', S: 'Document', P: root, K: kids }));
    const tree = context.register(context.obj({ Nums: parents }));
    const roles = { Chapter: 'Sect' };
    const keys = { ParentTree: tree, ParentTreeNextKey: pages.length + 1, RoleMap: roles };
    context.assign(root, context.obj({ Type: 'StructTreeRoot', K: top, ...keys }));
    catalog.set(PDFName.of('StructTreeRoot'), root);
    catalog.set(PDFName.of('MarkInfo'), context.obj({ Marked: true }));
    catalog.set(PDFName.of('Lang'), PDFString.of('en'));
  };
}

/** Two pages with such a structure. */
export async function makeStructure(name: string): Promise<Uint8Array> {
  return makeDocument(name, 2, addStructure());
}

function addChapter(document: PDFDocument, top: PDFRef, page: number): { chapter: PDFRef; paragraph: PDFRef } {
  const { context } = document;
  const { ref, node } = document.getPage(page);
  const font = node.normalizedEntries().Resources.lookup(PDFName.of('Font'), PDFDict).keys()[0]?.asString() ?? '';
  const text = `BT ${font} 12 Tf 30 330 Td (Paragraph ${page + 1}) Tj ET`;
  node.addContentStream(context.register(context.stream(`/P <</MCID 0>> BDC ${text} EMC\n`)));
  node.set(PDFName.of('StructParents'), context.obj(page));
  const chapter = context.nextRef();
  const paragraph = context.register(context.obj({ Type: 'StructElem', S: 'P', P: chapter, Pg: ref, K: 0 }));
  context.assign(chapter, context.obj({ Type: 'StructElem', S: 'Chapter', P: top, Pg: ref, K: [paragraph] }));
  return { chapter, paragraph };
}

function addTaggedLink(document: PDFDocument, top: PDFRef, key: number): PDFRef {
  const { context } = document;
  const { ref, node } = document.getPage(0);
  const action = { S: 'URI', URI: PDFString.of('https://example.com/tagged') };
  const place = { Type: 'Annot', Subtype: 'Link', Rect: [200, 340, 260, 352], P: ref };
  const link = context.register(context.obj({ ...place, A: action, StructParent: key }));
  node.addAnnot(link);
  const held = { Type: 'OBJR', Obj: link, Pg: ref };
  return context.register(context.obj({ Type: 'StructElem', S: 'Link', P: top, Pg: ref, K: [held] }));
}
