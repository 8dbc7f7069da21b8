import { type LinkTarget, targetEntries } from './link-target.js';
import { type Addition, makeDocument } from './make-document.js';

/** A link that is to be made, on a page (0-based). */
export interface Link {
  readonly from: number;
  readonly to: LinkTarget;
}

/** Links, one below the other on their pages. */
export function addLinks(links: readonly Link[]): Addition {
  return (document) => {
    const { context } = document;
    for (const [index, { from, to }] of links.entries()) {
      const { ref, node } = document.getPage(from);
      const y = 180 - 15 * index;
      const place = { Type: 'Annot', Subtype: 'Link', Rect: [30, y, 90, y + 12], Border: [0, 0, 1], P: ref };
      node.addAnnot(context.register(context.obj({ ...place, ...targetEntries(document, to) })));
    }
  };
}

/** Three pages: the first links to the third, to itself and out of the document, the third links back. Row 8 of the research. */
export async function makeLinkedPages(name: string): Promise<Uint8Array> {
  return makeDocument(
    name,
    3,
    addLinks([
      { from: 0, to: { page: 2 } },
      { from: 0, to: { page: 0 } },
      { from: 0, to: { uri: 'https://example.com/' } },
      { from: 2, to: { action: 0 } },
    ]),
  );
}
