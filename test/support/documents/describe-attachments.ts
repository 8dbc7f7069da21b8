import { PDFDict, type PDFDocument, PDFRawStream, decodePDFRawStream, type PDFObject } from 'pdf-lib';
import { arrayAt, dictAt, dictsIn, keyOf, nameAt, textAt, treeEntries, valueAt } from './objects.js';

/** The files inside a document. */
export interface DescribedAttachments {
  /** Of the name tree: the size of each file in bytes by its key. */
  readonly files: Readonly<Record<string, number>>;
  /** Whether the keys stand in the order that readers need to find them. */
  readonly areSorted: boolean;
  /** Of file attachment annotations: page (0-based), name and size. */
  readonly onPages: ReadonlyArray<{ readonly page: number; readonly name: string; readonly bytes: number }>;
}

/** Reads the attachments of a document. */
export function describeAttachments(document: PDFDocument): DescribedAttachments {
  const tree = dictAt(dictAt(document.catalog, 'Names'), 'EmbeddedFiles');
  const entries = [...treeEntries(tree, 'Names')].map(({ key, value }) => ({
    key: keyOf(key) ?? '',
    bytes: sizeOf(document.context.lookup(value)),
  }));
  const keys = entries.map(({ key }) => key);
  return {
    files: Object.fromEntries(entries.map(({ key, bytes }) => [key, bytes])),
    areSorted: keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key),
    onPages: document.getPages().flatMap(({ node }, page) =>
      dictsIn(arrayAt(node, 'Annots'), document.context)
        .filter(({ dict }) => nameAt(dict, 'Subtype') === 'FileAttachment')
        .map(({ dict }) => {
          const file = dictAt(dict, 'FS');
          return { page, name: textAt(file, 'UF') ?? textAt(file, 'F') ?? '', bytes: sizeOf(file) };
        }),
    ),
  };
}

function sizeOf(file: PDFObject | undefined): number {
  const embedded = file instanceof PDFDict ? dictAt(file, 'EF') : undefined;
  const stream = valueAt(embedded, 'F') ?? valueAt(embedded, 'UF');
  return stream instanceof PDFRawStream ? decodePDFRawStream(stream).decode().length : 0;
}
