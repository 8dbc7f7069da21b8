import { PDFDocument } from 'pdf-lib';
import { beginAssembly, type AssemblyOptions } from '../../../libs/pdf/src/assemble/begin-assembly.js';
import { listPages } from '../../../libs/pdf/src/document/page-tree/list-pages.js';

/** A document, and which of its pages (0-based) are taken in which order; all of them without. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly pages?: readonly number[];
  readonly name?: string;
}

/** What the product's machine makes of parts of documents, and the warnings that it gives. */
export async function assembleDocument(
  parts: readonly Part[],
  options: AssemblyOptions = {},
): Promise<{ readonly bytes: Uint8Array; readonly warnings: readonly string[] }> {
  const assembly = await beginAssembly(options);
  for (const [input, { bytes, pages: taken, name = `${input}.pdf` }] of parts.entries()) {
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    const { pages } = listPages(document, 100_000);
    assembly.add({ document, pages, warnings: [], input, name }, taken ?? [...pages.keys()]);
  }
  const warnings = assembly.finish();
  return { bytes: await assembly.document.save({ useObjectStreams: false, addDefaultPage: false }), warnings };
}
