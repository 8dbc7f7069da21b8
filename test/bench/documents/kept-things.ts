import { type DescribedDocument, describeDocument } from '../../support/documents/describe-document.js';
import type { DescribedBookmark } from '../../support/documents/describe-outline.js';
import { type PdfiumReading, readWithPdfium } from '../../support/documents/read-with-pdfium.js';

/** A document as both readers see it. */
export interface SeenDocument {
  readonly described: DescribedDocument;
  readonly reading: PdfiumReading;
}

/** An input of a merge: what it is called in the table, and the pages before it. */
interface Input extends SeenDocument {
  readonly letter: string;
  readonly offset: number;
}

/** What a merge may keep of its inputs, in the order of the columns. */
export const keptColumns = [
  'Form fields',
  'Outlines',
  'Named destinations',
  'Page labels',
  'Attachments',
  'Structure',
  'Hidden layers',
  'Links',
] as const;

type KeptColumn = (typeof keptColumns)[number];

/** Sees a document with both readers. */
export async function seeDocument(bytes: Uint8Array): Promise<SeenDocument> {
  return { described: await describeDocument(bytes), reading: await readWithPdfium(bytes) };
}

/** For each column what the merged document has of its inputs: their letters, or how many fields of how many. */
export function keptThings(inputs: readonly SeenDocument[], merged: SeenDocument): Record<KeptColumn, string> {
  const placed = inputs.map((input, index) => ({
    ...input,
    letter: String.fromCharCode('A'.charCodeAt(0) + index),
    offset: inputs.slice(0, index).reduce((sum, { described }) => sum + described.pages, 0),
  }));
  const lettersOf = (isKept: (input: Input, merged: SeenDocument) => boolean): string =>
    placed
      .filter((input) => isKept(input, merged))
      .map(({ letter }) => letter)
      .join('+') || 'none';
  return {
    'Form fields': keptFields(placed, merged),
    Outlines: lettersOf(keepsOutline),
    'Named destinations': lettersOf(keepsDestinations),
    'Page labels': lettersOf(keepsLabels),
    Attachments: lettersOf(keepsAttachments),
    Structure: lettersOf(keepsStructure),
    'Hidden layers': lettersOf(keepsLayers),
    Links: lettersOf(keepsLinks),
  };
}

/** A field is kept when it has a name of its own, its value, and all its widgets on the pages where they were. */
function keptFields(inputs: readonly Input[], { described }: SeenDocument): string {
  const names = described.fields.map(({ name }) => name);
  const left = described.fields.filter(({ name }) => names.indexOf(name) === names.lastIndexOf(name)).map(essence);
  const wanted = inputs.flatMap((input) =>
    input.described.fields.map((field) => essence(shifted(field, input.offset))),
  );
  const kept = wanted.filter((field) => {
    const at = left.indexOf(field);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
  return `${kept.length} of ${wanted.length}`;
}

type Field = DescribedDocument['fields'][number];

function shifted(field: Field, offset: number): Field {
  return { ...field, pages: field.pages.map((page) => (page === null ? null : page + offset)) };
}

/** Whatever the field is called. */
function essence({ type, value, pages, shown }: Field): string {
  return JSON.stringify([type, value, pages, shown]);
}

function keepsOutline({ described, offset }: Input, merged: SeenDocument): boolean {
  const there = new Set(flattened(merged.described.outline).map(({ title, page }) => `${title}: ${page}`));
  return flattened(described.outline).every(({ title, page }) =>
    there.has(`${title}: ${page === null ? null : page + offset}`),
  );
}

function flattened(bookmarks: readonly DescribedBookmark[]): DescribedBookmark[] {
  return bookmarks.flatMap((bookmark) => [bookmark, ...flattened(bookmark.children)]);
}

/** Whatever the names are, there is a name for each page that had one. */
function keepsDestinations({ described, offset }: Input, merged: SeenDocument): boolean {
  const pages = Object.values(merged.described.destinations);
  return Object.values(described.destinations).every((page) => page !== null && pages.includes(page + offset));
}

function keepsLabels({ described, offset }: Input, merged: SeenDocument): boolean {
  const labels = merged.described.labels?.slice(offset, offset + described.pages);
  return labels !== undefined && JSON.stringify(labels) === JSON.stringify(described.labels);
}

function keepsAttachments({ reading }: Input, merged: SeenDocument): boolean {
  const contents = merged.reading.attachments.map(({ bytes }) => Buffer.from(bytes).toString('latin1'));
  return (
    merged.described.attachments.areSorted &&
    reading.attachments.every(({ bytes }) => contents.includes(Buffer.from(bytes).toString('latin1')))
  );
}

/** Its pages lead to elements, and there are as many of these as there were, on top of those of the documents before. */
function keepsStructure({ described, offset }: Input, merged: SeenDocument): boolean {
  const { structure } = merged.described;
  if (structure === null || described.structure === null) return false;
  const pages = Array.from({ length: described.pages }, (_, index) => index + offset);
  const paragraphs = (types: readonly string[]): number => types.filter((type) => type === 'P').length;
  return (
    pages.every((page) => !structure.unresolvedPages.includes(page)) &&
    paragraphs(structure.types) >= paragraphs(described.structure.types) * (offset / described.pages + 1)
  );
}

/** What did not show does not. */
function keepsLayers({ described, letter }: Input, merged: SeenDocument): boolean {
  const hidden = (layers: DescribedDocument['layers']): number =>
    layers?.filter(({ isVisible }) => !isVisible).length ?? 0;
  const place = letter.charCodeAt(0) - 'A'.charCodeAt(0) + 1;
  return hidden(merged.described.layers) >= hidden(described.layers) * place;
}

/** Each link leads to the page of its own document to which it led. */
function keepsLinks({ described, offset }: Input, merged: SeenDocument): boolean {
  const links = merged.described.links.slice(offset, offset + described.pages);
  const moved = described.links.map((page) =>
    page.map((link) => ({ ...link, page: link.page === null ? null : link.page + offset })),
  );
  return JSON.stringify(links) === JSON.stringify(moved);
}
