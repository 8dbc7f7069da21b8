import { PDFDict, PDFName, PDFString } from 'pdf-lib';
import { type Addition, makeDocument } from './make-document.js';

/** A layer with a text of its own on a page (0-based). */
export interface Layer {
  readonly name: string;
  readonly page: number;
  readonly isVisible: boolean;
}

/** Layers, some of them not visible when the document is opened. 2.1 of the research: tools that drop them turn hidden ones on. */
export function addLayers(layers: readonly Layer[]): Addition {
  return (document) => {
    const { context, catalog } = document;
    const groups = layers.map((layer) => ({
      ...layer,
      ref: context.register(context.obj({ Type: 'OCG', Name: PDFString.of(layer.name) })),
    }));
    for (const [index, { name, page, ref }] of groups.entries()) {
      const { node } = document.getPage(page);
      const resources = node.normalizedEntries().Resources;
      const properties = resources.lookupMaybe(PDFName.of('Properties'), PDFDict) ?? context.obj({});
      properties.set(PDFName.of(`Layer${index}`), ref);
      resources.set(PDFName.of('Properties'), properties);
      const font = resources.lookup(PDFName.of('Font'), PDFDict).keys()[0]?.asString() ?? '';
      const text = `BT ${font} 20 Tf 30 ${100 - 30 * index} Td (layer ${name}) Tj ET`;
      node.addContentStream(context.register(context.stream(`/OC /Layer${index} BDC ${text} EMC\n`)));
    }
    const all = groups.map(({ ref }) => ref);
    const hidden = groups.filter(({ isVisible }) => !isVisible).map(({ ref }) => ref);
    const usage = [{ Event: 'View', Category: ['View'], OCGs: all }];
    const byDefault = { Name: PDFString.of('Default'), Order: all, OFF: hidden, AS: usage };
    catalog.set(PDFName.of('OCProperties'), context.register(context.obj({ OCGs: all, D: byDefault })));
  };
}

/** One page with a layer that shows and one that does not. */
export async function makeLayers(name: string): Promise<Uint8Array> {
  const layers = [
    { name: 'Shown', page: 0, isVisible: true },
    { name: 'Hidden', page: 0, isVisible: false },
  ];
  return makeDocument(name, 1, addLayers(layers));
}
