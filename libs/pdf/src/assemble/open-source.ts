import { corruptDocument, DocumentFailed } from '../document/document-failure.js';
import { guard } from '../document/guard.js';
import { listPages } from '../document/list-pages.js';
import { openDocument } from '../document/open-document.js';
import type { InputFile } from '../operation.js';
import type { Source } from './excerpt.js';

/** Opens an input to take pages from. @throws DocumentFailed */
export async function openSource(
  file: InputFile,
  input: number,
  limits: { readonly pagesBefore: number; readonly maxPages: number },
): Promise<Source> {
  const { document } = await openDocument(file, input, limits);
  return guard(corruptDocument(input), async () => {
    const { pages } = listPages(document, limits.maxPages);
    if (pages.length === 0) throw new DocumentFailed(corruptDocument(input));
    return { document, pages, input, name: file.name };
  });
}
