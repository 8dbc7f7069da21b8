import { openDocument } from '../document/open-document.js';
import type { InputFile } from '../operation.js';
import type { Source } from './excerpt.js';

/** Opens an input to take pages from. @throws DocumentFailed */
export async function openSource(
  file: InputFile,
  input: number,
  limits: { readonly pagesBefore: number; readonly maxPages: number },
): Promise<Source> {
  const { document, pages, warnings } = await openDocument(file, input, limits);
  return { document, pages, warnings, input, name: file.name };
}
