import { readFile } from 'node:fs/promises';
import { ParseSpeeds, PDFDocument } from 'pdf-lib';
import type { InputFile } from '../operation.js';
import {
  corruptDocument,
  DocumentFailed,
  noPages,
  notAPdf,
  passwordRequired,
  tooManyPages,
} from './document-failure.js';
import { guard } from './guard.js';

/** A reader looks for the header this far into a file (ISO 32000-1, annex H, note 13). */
const headerWindowBytes = 1024;

/** An input that has been read as far as its pages. */
export interface OpenDocument {
  readonly document: PDFDocument;
  readonly pageCount: number;
}

/**
 * Reads one input. Throws `DocumentFailed` when it is no PDF, encrypted, damaged, empty, or when its pages come on top of
 * `pagesBefore` to more than `maxPages`; a file that cannot be read at all is an ordinary error.
 */
export async function openDocument(
  file: InputFile,
  input: number,
  { pagesBefore, maxPages }: { pagesBefore: number; maxPages: number },
): Promise<OpenDocument> {
  const bytes = await readFile(file.path);
  if (!bytes.subarray(0, headerWindowBytes).includes('%PDF-')) throw new DocumentFailed(notAPdf(input));
  return guard(corruptDocument(input), async () => {
    const document = await load(bytes, input);
    const pageCount = document.getPageCount();
    if (pageCount === 0) throw new DocumentFailed(noPages(input));
    const pages = pagesBefore + pageCount;
    if (pages > maxPages) throw new DocumentFailed(tooManyPages(input, pages, maxPages));
    return { document, pageCount };
  });
}

/** Encryption is looked for here, because the error that the library throws for it cannot be told from its others. */
async function load(bytes: Uint8Array, input: number): Promise<PDFDocument> {
  const document = await PDFDocument.load(bytes, {
    updateMetadata: false,
    throwOnInvalidObject: false,
    ignoreEncryption: true,
    parseSpeed: ParseSpeeds.Fastest,
  });
  if (document.isEncrypted) throw new DocumentFailed(passwordRequired(input));
  return document;
}
