import type { PDFDocument, PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFRef } from 'pdf-lib';
import { arrayAt } from '../../document/objects/read-entry.js';
import type { Carrier } from '../carrier.js';
import type { Excerpt } from '../excerpt.js';
import { copyLayerTree } from './copy-layer-tree.js';
import { type Layers, layersOf } from './read-layers.js';

const defaultIntent = PDFName.of('View');

/**
 * The layers that something copied belongs to, each shown or hidden as it was in its source, in one configuration; alternate ones are left out. Must come after
 * all that copies anything.
 */
export function carryLayers(document: PDFDocument): Carrier {
  const layers = new NewLayers(document);
  return {
    add: (excerpt) => layers.add(excerpt),
    finish: () => {
      layers.write();
      return [];
    },
  };
}

/** The layers of the new document while they grow. */
class NewLayers {
  private readonly all: PDFRef[] = [];
  private readonly hidden: PDFRef[] = [];
  private readonly intents = new Set<PDFName>();
  private readonly lists = new Map<'Order' | 'Locked' | 'RBGroups' | 'AS', PDFObject[]>();

  constructor(private readonly document: PDFDocument) {}

  add(excerpt: Excerpt): void {
    const layers = layersOf(excerpt.source);
    const kept = layers.all.flatMap((layer) => excerpt.copier.copyOf(layer) ?? []);
    if (kept.length === 0) return;
    for (const layer of kept) this.all.push(layer);
    for (const layer of copiesOf([...layers.hidden], excerpt)) this.hidden.push(layer);
    for (const intent of layers.intents.length > 0 ? layers.intents : [defaultIntent]) this.intents.add(intent);
    this.addLists(layers, excerpt);
  }

  write(): void {
    if (this.all.length === 0) return;
    const { catalog, context } = this.document;
    const byDefault = context.obj({});
    if (this.hidden.length > 0) byDefault.set(PDFName.of('OFF'), context.obj(this.hidden));
    for (const [key, items] of this.lists) if (items.length > 0) byDefault.set(PDFName.of(key), context.obj(items));
    const intents = [...this.intents];
    if (intents.some((intent) => intent !== defaultIntent)) byDefault.set(PDFName.of('Intent'), context.obj(intents));
    catalog.set(PDFName.of('OCProperties'), context.register(context.obj({ OCGs: this.all, D: byDefault })));
  }

  private addLists({ order, locked, radioGroups, usage }: Layers, excerpt: Excerpt): void {
    const { context: target } = this.document;
    const { context: source } = excerpt.source.document;
    const tree = order === undefined ? [] : copyLayerTree(order, { copier: excerpt.copier, source, target }).asArray();
    this.append('Order', tree);
    this.append('Locked', copiesOf(locked, excerpt));
    for (const item of radioGroups) {
      const group = source.lookup(item);
      const copies = group instanceof PDFArray ? copiesOf(group.asArray(), excerpt) : [];
      if (copies.length > 0) this.append('RBGroups', [target.obj(copies)]);
    }
    for (const item of usage) {
      const rule = source.lookup(item);
      if (rule instanceof PDFDict) this.append('AS', this.copyRule(rule, excerpt));
    }
  }

  private copyRule(rule: PDFDict, excerpt: Excerpt): PDFObject[] {
    const copies = copiesOf(arrayAt(rule, 'OCGs')?.asArray() ?? [], excerpt);
    if (copies.length === 0) return [];
    const copy = this.document.context.obj({ OCGs: copies });
    for (const key of ['Event', 'Category'].map((name) => PDFName.of(name))) {
      const value = rule.get(key);
      if (value !== undefined) copy.set(key, excerpt.copier.copy(value));
    }
    return [copy];
  }

  private append(key: 'Order' | 'Locked' | 'RBGroups' | 'AS', items: readonly PDFObject[]): void {
    const list = this.lists.get(key) ?? [];
    for (const item of items) list.push(item);
    this.lists.set(key, list);
  }
}

function copiesOf(layers: readonly PDFObject[], { copier }: Excerpt): PDFRef[] {
  return layers.flatMap((layer) => (layer instanceof PDFRef ? (copier.copyOf(layer) ?? []) : []));
}
