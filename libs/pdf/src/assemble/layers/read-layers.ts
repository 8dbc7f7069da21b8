import type { PDFDict, PDFObject } from 'pdf-lib';
import { PDFArray, PDFName, PDFRef } from 'pdf-lib';
import { arrayAt, dictAt, nameAt } from '../../document/objects/read-entry.js';
import type { Source } from '../../document/open/source.js';
import { oncePer } from '../once-per.js';

/** The layers of a document (optional content groups, ISO 32000-1, 8.11), and what its default configuration says of them. */
export interface Layers {
  readonly all: readonly PDFRef[];
  /** Those that do not show when the document is opened. */
  readonly hidden: ReadonlySet<PDFRef>;
  readonly locked: readonly PDFObject[];
  /** The tree in which readers list them. */
  readonly order: PDFArray | undefined;
  /** Groups of which one at a time is on. */
  readonly radioGroups: readonly PDFObject[];
  /** How layers follow zoom, printing and so on. */
  readonly usage: readonly PDFObject[];
  /** What the layers are meant for, as far as the document says it. */
  readonly intents: readonly PDFName[];
}

/** The layers of a source, read once. */
export const layersOf = oncePer(readLayers);

function readLayers({ document }: Source): Layers {
  const properties = dictAt(document.catalog, 'OCProperties');
  const all = [...new Set(refsIn(arrayAt(properties, 'OCGs')))];
  const byDefault = dictAt(properties, 'D');
  return {
    all,
    hidden: hiddenOf(all, byDefault),
    locked: itemsAt(byDefault, 'Locked'),
    order: arrayAt(byDefault, 'Order'),
    radioGroups: itemsAt(byDefault, 'RBGroups'),
    usage: itemsAt(byDefault, 'AS'),
    intents: intentsOf(byDefault),
  };
}

function hiddenOf(all: readonly PDFRef[], byDefault: PDFDict | undefined): Set<PDFRef> {
  const off = refsIn(arrayAt(byDefault, 'OFF'));
  if (nameAt(byDefault, 'BaseState') !== 'OFF') return new Set(off);
  const on = new Set(refsIn(arrayAt(byDefault, 'ON')));
  return new Set([...all.filter((layer) => !on.has(layer)), ...off]);
}

function intentsOf(byDefault: PDFDict | undefined): PDFName[] {
  const intent = byDefault?.lookup(PDFName.of('Intent'));
  const names = intent instanceof PDFArray ? intent.asArray() : [intent];
  return names.filter((name) => name instanceof PDFName);
}

function itemsAt(dict: PDFDict | undefined, key: string): PDFObject[] {
  return arrayAt(dict, key)?.asArray() ?? [];
}

function refsIn(array: PDFArray | undefined): PDFRef[] {
  return (array?.asArray() ?? []).filter((item) => item instanceof PDFRef);
}
