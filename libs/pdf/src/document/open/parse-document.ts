import type { PDFContext, PDFRef } from 'pdf-lib';
import { PDFCatalog, PDFDict, PDFDocument, PDFInvalidObject, PDFName } from 'pdf-lib';
import { BoundedParser, largestObjectNumber } from '../../scan/bounded-parser.js';
import { correctTokens } from '../../scan/correct-tokens.js';
import { ObjectStreamsTooLarge } from '../../scan/inflate-object-stream.js';
import { isAllocationFailure } from '../failure/allocation-failure.js';
import { nameAt } from '../objects/read-entry.js';
import type { SourcePage } from '../page-tree/list-pages.js';
import { listPages } from '../page-tree/list-pages.js';
import { rebuildPageTree } from '../page-tree/rebuild-page-tree.js';

correctTokens();

/** Words after which the library wants what a damaged file may not have; each reading does without some more of them. */
const stumblingBlocks = [[], ['startxref', 'xref'], ['startxref', 'xref', 'trailer']] as const;

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

/**
 * Reads what there is of a damaged document: objects that cannot be read, or whose number is too large, are left
 * out, and what else the reading stops at. The page tree is made anew of the pages that were found.
 */
export async function recoverDocument(bytes: Buffer): Promise<ParsedDocument> {
  const context = await readLeniently(bytes);
  const encryption = context.trailerInfo.Encrypt ?? encryptionIn(context);
  if (encryption !== undefined) context.trailerInfo.Encrypt = encryption;
  context.largestObjectNumber = 0;
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (object instanceof PDFInvalidObject || ref.objectNumber > largestObjectNumber) context.delete(ref);
    else context.largestObjectNumber = Math.max(context.largestObjectNumber, ref.objectNumber);
  }
  return withOwnPageTree(parsed(context, false));
}

/** The encryption of a document that has lost its trailer: a dictionary that only encryption by password has (ISO 32000-1, table 21). */
function encryptionIn(context: PDFContext): PDFRef | undefined {
  const found = context.enumerateIndirectObjects().find(([, object]) => {
    const isStandard = object instanceof PDFDict && nameAt(object, 'Filter') === 'Standard';
    return isStandard && ['O', 'U', 'P'].every((key) => object.has(PDFName.of(key)));
  });
  return found?.[0];
}

async function readLeniently(bytes: Buffer): Promise<PDFContext> {
  let last: unknown;
  for (const keywords of stumblingBlocks) {
    const readable = keywords.length === 0 ? bytes : withoutKeywords(bytes, keywords);
    try {
      return await quietly(() => new BoundedParser(readable, false).parseDocument());
    } catch (error) {
      if (error instanceof ObjectStreamsTooLarge || isAllocationFailure(error)) throw error;
      last = error;
    }
  }
  throw last;
}

/** A copy in which these words are blank, wherever they stand. */
function withoutKeywords(bytes: Buffer, keywords: readonly string[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const keyword of keywords) {
    for (let at = copy.indexOf(keyword); at !== -1; at = copy.indexOf(keyword, at)) {
      copy.fill(' ', at, at + keyword.length);
    }
  }
  return copy;
}

/** The same document with a page tree of its own making. */
export function withOwnPageTree({ document: { context }, pages, isSound }: ParsedDocument): ParsedDocument {
  if (pages.length > 0) rebuildPageTree(documentOf(context), pages);
  const document = documentOf(context);
  return { document, pages: pages.length > 0 ? listPages(document, pages.length).pages : [], isSound };
}

function parsed(context: PDFContext, hasSoundObjects: boolean): ParsedDocument {
  const document = documentOf(context);
  if (!document.isEncrypted) delete context.trailerInfo.Encrypt;
  if (!(document.catalog instanceof PDFCatalog)) return { document, pages: [], isSound: false };
  const listed = listPages(document, Number.POSITIVE_INFINITY);
  const pages = listed.pages.filter(({ node }) => node !== document.catalog);
  const isSound = listed.isSound && hasSoundObjects && pages.length === listed.pages.length;
  const read = { document, pages, isSound };
  return !isSound || libraryFinds(document, pages.length) ? read : withOwnPageTree(read);
}

/** The library does not see nodes of the page tree that do not say what they are, nor those that lie very deep. */
function libraryFinds(document: PDFDocument, pageCount: number): boolean {
  try {
    return document.getPageCount() === pageCount;
  } catch {
    return false;
  }
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
