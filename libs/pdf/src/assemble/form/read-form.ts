import type { PDFContext, PDFObject } from 'pdf-lib';
import { PDFDict, PDFName, PDFRef } from 'pdf-lib';
import { arrayAt, dictAt, nameAt, refAt, textAt } from '../../document/objects/read-entry.js';
import type { Source } from '../../document/open/source.js';
import { oncePer } from '../once-per.js';

/** A field, a widget of one, or both in one dictionary (ISO 32000-1, 12.7.3). */
export interface FormNode {
  readonly ref: PDFRef;
  readonly dict: PDFDict;
  readonly parent: FormNode | null;
  /** Its place when the form is read from the root down. */
  readonly order: number;
  /** `Tx`, `Btn`, `Ch` or `Sig`, its own or taken from above. */
  readonly type: string | undefined;
  /** Its partial name; only that of the topmost node with a name may clash with another form's. */
  readonly name: string | undefined;
  readonly hasNamedAncestor: boolean;
}

/** The form of a document, as its fields and the widgets of its pages tell it. */
export interface Form {
  /** The dictionary of the catalog; `undefined` if only pages have fields. */
  readonly dict: PDFDict | undefined;
  readonly nodes: ReadonlyMap<PDFRef, FormNode>;
  /** The nodes that are annotations of a page, by the 0-based page. */
  readonly widgets: ReadonlyMap<number, readonly FormNode[]>;
  /** Fields without a widget, which hold data alone. */
  readonly withoutWidget: readonly FormNode[];
  /** What widgets name as their parents and is no field. */
  readonly strays: ReadonlySet<PDFRef>;
}

/** The form of a source, read once however many parts are made of it. */
export const formOf = oncePer(readForm);

function readForm({ document, pages }: Source): Form {
  const { catalog, context } = document;
  const dict = dictAt(catalog, 'AcroForm');
  const nodes = new FormNodes(context);
  nodes.addTree(arrayAt(dict, 'Fields')?.asArray() ?? []);
  const widgets = new Map<number, readonly FormNode[]>();
  for (const [index, { node }] of pages.entries()) {
    const found = widgetRefs(node).flatMap((ref) => nodes.find(ref) ?? []);
    if (found.length > 0) widgets.set(index, found);
  }
  const withoutWidget = [...nodes.byRef.values()].filter(holdsDataAlone);
  return { dict, nodes: nodes.byRef, widgets, withoutWidget, strays: nodes.strays };
}

function holdsDataAlone({ dict, type }: FormNode): boolean {
  return (
    type !== undefined &&
    dict.has(PDFName.of('T')) &&
    !dict.has(PDFName.of('Kids')) &&
    nameAt(dict, 'Subtype') !== 'Widget'
  );
}

/** What a page has as annotations and may be a widget. */
function widgetRefs(page: PDFDict): PDFRef[] {
  const annotations = arrayAt(page, 'Annots')?.asArray() ?? [];
  return annotations.filter((ref) => {
    const annotation = page.context.lookup(ref);
    return ref instanceof PDFRef && annotation instanceof PDFDict && nameAt(annotation, 'Subtype') === 'Widget';
  }) as PDFRef[];
}

class FormNodes {
  readonly byRef = new Map<PDFRef, FormNode>();
  readonly strays = new Set<PDFRef>();

  constructor(private readonly context: PDFContext) {}

  /** Reads fields with all below them, each once, whatever shape the tree has. */
  addTree(fields: readonly PDFObject[]): void {
    const waiting = fields.map((item) => ({ item, parent: null as FormNode | null })).reverse();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const ref = this.refOf(next.item);
      const node = ref === undefined || this.byRef.has(ref) ? undefined : this.add(ref, next.parent);
      const kids = arrayAt(node?.dict, 'Kids')?.asArray() ?? [];
      for (const item of [...kids].reverse()) waiting.push({ item, parent: node ?? null });
    }
  }

  /** The node of a widget. One that the form does not list belongs to it nevertheless when it, or what is above it, makes a complete field. */
  find(widget: PDFRef): FormNode | undefined {
    const { path, top } = this.climb(widget);
    if (top === undefined && !this.isComplete(path)) {
      for (const ref of path) if (ref !== widget) this.strays.add(ref);
      return undefined;
    }
    let node = top;
    for (const ref of path.reverse()) node = this.add(ref, node ?? null);
    return node;
  }

  /** What stands above a node and is in no form, from below, and the first that is in it. */
  private climb(from: PDFRef): { path: PDFRef[]; top: FormNode | undefined } {
    const path = new Set<PDFRef>();
    let at: PDFRef | undefined = from;
    while (at !== undefined && !path.has(at) && this.isUnlistedField(at)) {
      path.add(at);
      at = refAt(this.dictOf(at), 'Parent');
    }
    return { path: [...path], top: at === undefined ? undefined : this.byRef.get(at) };
  }

  private isUnlistedField(ref: PDFRef): boolean {
    return !this.byRef.has(ref) && !this.strays.has(ref) && this.dictOf(ref) !== undefined;
  }

  private isComplete(path: readonly PDFRef[]): boolean {
    return ['T', 'FT'].every((key) => path.some((ref) => this.dictOf(ref)?.has(PDFName.of(key)) === true));
  }

  private add(ref: PDFRef, parent: FormNode | null): FormNode | undefined {
    const dict = this.dictOf(ref);
    if (dict === undefined) return undefined;
    const node = {
      ref,
      dict,
      parent,
      order: this.byRef.size,
      type: nameAt(dict, 'FT') ?? parent?.type,
      name: textAt(dict, 'T'),
      hasNamedAncestor: parent !== null && (parent.hasNamedAncestor || parent.name !== undefined),
    };
    this.byRef.set(ref, node);
    return node;
  }

  /** A field that is not an object of its own is made one. */
  private refOf(item: PDFObject): PDFRef | undefined {
    if (item instanceof PDFRef) return item;
    return item instanceof PDFDict ? this.context.register(item) : undefined;
  }

  private dictOf(ref: PDFRef): PDFDict | undefined {
    const dict = this.context.lookup(ref);
    return dict instanceof PDFDict ? dict : undefined;
  }
}
