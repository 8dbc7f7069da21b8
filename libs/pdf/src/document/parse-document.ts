import type { PDFContext } from 'pdf-lib';
import { PDFCatalog, PDFDocument, PDFInvalidObject } from 'pdf-lib';
import { BoundedParser } from '../scan/bounded-parser.js';
import type { SourcePage } from './list-pages.js';
import { listPages } from './list-pages.js';

/** A document as it was read from its bytes. */
export interface ParsedDocument {
  readonly document: PDFDocument;
  readonly pages: readonly SourcePage[];
  /** Whether its page tree is sound, and every object was found as the file says. */
  readonly isSound: boolean;
}

/**
 * Reads a document that has nothing wrong. Throws when an object of it cannot be read. An encrypted document is read as far as its
 * strings and streams.
 */
export async function parseDocument(bytes: Buffer): Promise<ParsedDocument> {
  const parser = new BoundedParser(bytes, true);
  const context = await quietly(() => parser.parseDocument());
  return parsed(context, !parser.hasFaults);
}

/** Reads what there is of a damaged document: objects that cannot be read are left out. */
export async function recoverDocument(bytes: Buffer): Promise<ParsedDocument> {
  const context = await quietly(() => new BoundedParser(bytes, false).parseDocument());
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (object instanceof PDFInvalidObject) context.delete(ref);
  }
  return parsed(context, false);
}

function parsed(context: PDFContext, hasSoundObjects: boolean): ParsedDocument {
  const document = documentOf(context);
  if (!(document.catalog instanceof PDFCatalog)) return { document, pages: [], isSound: false };
  const { pages, isSound } = listPages(document, Number.POSITIVE_INFINITY);
  return { document, pages, isSound: isSound && hasSoundObjects };
}

/** The library makes documents of bytes only, by a parser of its own; its constructor has no other fault. */
function documentOf(context: PDFContext): PDFDocument {
  const [ignoresEncryption, updatesMetadata] = [true, false];
  return Reflect.construct(PDFDocument, [context, ignoresEncryption, updatesMetadata]) as PDFDocument;
}

/** The library tells the console of each object that it cannot read; no one else prints while it reads. */
async function quietly<T>(parse: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    return await parse();
  } finally {
    console.warn = warn;
  }
}
