import { deflateSync } from 'node:zlib';
import type { PDFContext, PDFDocument, PDFRef } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFRawStream, PDFStream } from 'pdf-lib';
import { ObjectCopier } from '../assemble/object-copier.js';
import { decodeContent } from '../content/decode-content.js';
import { formEntries, isolatedGroup } from '../content/form-object.js';
import { invert } from '../content/matrix.js';
import { viewPage, visibleBox } from '../content/view-page.js';
import { corruptDocument, DocumentFailed } from '../document/failure/document-failure.js';
import type { SourcePage } from '../document/page-tree/list-pages.js';
import type { Stamp } from './stamp.js';

/** A page of a document to be drawn in another. */
export interface StampPage {
  readonly document: PDFDocument;
  readonly page: SourcePage;
  /** The 0-based number of the input that the document is. */
  readonly input: number;
}

/** What ties a content to the structure of its own document, and means something else in another. */
const structureKeys = ['StructParent', 'StructParents'].map((key) => PDFName.of(key));

/** Copies what the content of a page needs, and no more of its document: as it is seen, cropped and turned, its corner at 0, 0. */
export function makePageStamp(context: PDFContext, source: StampPage, isGroup: boolean): Stamp {
  const { document, page } = source;
  const view = viewPage(document, page);
  const copier = new ObjectCopier(document.context, context);
  const resources = dictOf(document, page.inheritable.get(PDFName.of('Resources')));
  const group = dictOf(document, page.node.get(PDFName.of('Group')));
  const dict = context.obj({
    ...formEntries(context, visibleBox(document, page), invert(view.toContent)),
    Resources: resources === null ? {} : copier.copy(resources),
    ...(group === null ? {} : { Group: copier.copy(group) }),
  });
  if (group === null && isGroup) dict.set(PDFName.of('Group'), isolatedGroup(context));
  const content = contentOf(source, copier, dict);
  forgetStructure(context, copier.made);
  const box = { x: 0, y: 0, width: view.width, height: view.height };
  return { form: context.register(content), box, ink: box };
}

/** One stream is taken as it is, several become one. */
function contentOf({ document, page, input }: StampPage, copier: ObjectCopier, dict: PDFDict): PDFRawStream {
  const streams = streamsOf(document, page);
  const [only] = streams;
  if (streams.length === 1 && only instanceof PDFRawStream) {
    for (const key of ['Filter', 'DecodeParms'].map((name) => PDFName.of(name))) {
      const value = only.dict.lookup(key);
      if (value !== undefined) dict.set(key, copier.copy(value));
    }
    return PDFRawStream.of(dict, only.contents);
  }
  const bytes = decodeContent(streams);
  if (bytes === null) throw new DocumentFailed(corruptDocument(input));
  dict.set(PDFName.of('Filter'), PDFName.of('FlateDecode'));
  return PDFRawStream.of(dict, deflateSync(bytes));
}

function streamsOf({ context }: PDFDocument, { node }: SourcePage): PDFStream[] {
  const contents = context.lookup(node.get(PDFName.of('Contents')));
  const items = contents instanceof PDFArray ? contents.asArray() : [contents];
  return items.map((item) => context.lookup(item)).filter((item) => item instanceof PDFStream);
}

function dictOf({ context }: PDFDocument, object: Parameters<PDFContext['lookup']>[0]): PDFDict | null {
  const value = context.lookup(object);
  return value instanceof PDFDict ? value : null;
}

function forgetStructure(context: PDFContext, copies: readonly PDFRef[]): void {
  for (const ref of copies) {
    const object = context.lookup(ref);
    if (object instanceof PDFStream) for (const key of structureKeys) object.dict.delete(key);
  }
}
