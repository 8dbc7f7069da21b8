import type { PDFDocument } from 'pdf-lib';
import { corruptDocument } from '../document/failure/document-failure.js';
import type { DocumentWarning } from '../document/failure/document-warnings.js';
import { guard } from '../document/failure/guard.js';
import type { Source } from '../document/open/source.js';
import { type AssemblyOptions, beginAssembly } from './begin-assembly.js';

/** A document of pages of one other, and what of it could not be kept. */
export interface Extract {
  readonly document: PDFDocument;
  readonly warnings: readonly DocumentWarning[];
}

/** Puts pages (0-based) of a source into a new document in this order, as often as they are named. @throws DocumentFailed */
export function extractPages(
  source: Source,
  pages: readonly number[],
  options: AssemblyOptions = {},
): Promise<Extract> {
  return guard(corruptDocument(source.input), async () => {
    const assembly = await beginAssembly(options);
    assembly.add(source, pages);
    return { warnings: assembly.finish(), document: assembly.document };
  });
}
