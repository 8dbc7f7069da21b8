import type { PDFContext, PDFDocument, PDFRef } from 'pdf-lib';
import { PDFHexString, PDFName } from 'pdf-lib';
import type { Carrier } from '../carrier.js';
import type { OutlineStyle } from './outline-styles.js';
import type { Bookmark } from './bookmark.js';
import { copyItems } from './copy-items.js';
import { listOutline } from './list-outline.js';
import { writeOutline } from './write-outline.js';

interface SourceOutline {
  readonly name: string;
  readonly firstPage: PDFRef;
  readonly top: readonly Bookmark[];
}

/**
 * Keeps the outlines of sources, each as far as it leads to pages that were taken. There are branches, one for each source whether or not it has an
 * outline of its own, when there are several sources and an outline among them.
 */
export function carryOutline(document: PDFDocument, style: OutlineStyle): Carrier {
  const outlines: SourceOutline[] = [];
  let isCut = false;
  return {
    add: (excerpt) => {
      const [first] = excerpt.pages;
      if (style === 'none' || excerpt.repeat > 0 || first === undefined) return;
      outlines.push({ name: excerpt.source.name, firstPage: first.ref, top: copyItems(excerpt, document.context) });
      isCut ||= listOutline(excerpt.source).isCut;
    },
    finish: () => {
      const top = outlines.flatMap((outline) => outline.top);
      const isBranched = style === 'by_input' && outlines.length > 1 && top.length > 0;
      setOutline(document, isBranched ? outlines.map((outline) => branchOf(outline, document.context)) : top);
      return isCut ? ['outline_cut'] : [];
    },
  };
}

function branchOf({ name, firstPage, top }: SourceOutline, context: PDFContext): Bookmark {
  const title = name.toWellFormed().replace(/\.pdf$/i, '');
  const dict = context.obj({ Title: PDFHexString.fromText(title === '' ? name : title), Dest: [firstPage, 'Fit'] });
  return { ref: context.register(dict), dict, isOpen: false, children: top };
}

/** A document without an outline cannot open with it in view. */
function setOutline({ catalog, context }: PDFDocument, top: readonly Bookmark[]): void {
  const mode = PDFName.of('PageMode');
  if (top.length > 0) catalog.set(PDFName.of('Outlines'), writeOutline(context, top));
  else if (catalog.get(mode) === PDFName.of('UseOutlines')) catalog.delete(mode);
}
