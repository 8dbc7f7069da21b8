import type { PDFDict, PDFDocument, PDFObject } from 'pdf-lib';
import { PDFBool, PDFHexString, PDFName, PDFNumber, PDFRef } from 'pdf-lib';
import { arrayAt, dictAt, isText } from '../../document/objects/read-entry.js';
import type { Carrier } from '../carrier.js';
import type { Excerpt } from '../excerpt.js';
import { UnusedNames } from '../names/unused-names.js';
import { fontsIn, renameFonts } from './default-appearance.js';
import { FormResources } from './form-resources.js';
import type { KeptFields } from './kept-fields.js';
import { keptFields } from './kept-fields.js';
import type { Form, FormNode } from './read-form.js';
import { formOf } from './read-form.js';

const appearanceKey = PDFName.of('DA');
/** What a field takes from its form where neither it nor what is above it has an entry of its own. */
const inheritedFromForm = [appearanceKey, PDFName.of('Q')];

/**
 * The fields that have a widget on one of the pages, with their values and appearances, and those of a whole document that have none. Where a name is taken the later field gets another; what the
 * fields of a source took from their form they have themselves from then on. A signature does not hold for another document: its field stays, with the
 * appearance and without the signature. Not carried: XFA, document-level scripts, and the permissions of signatures.
 */
export function carryForm(document: PDFDocument): Carrier {
  const form = new NewForm(document);
  let carried: Carried | undefined;
  return {
    prepare: (excerpt) => {
      const from = formOf(excerpt.source);
      const kept = keptFields(from, excerpt);
      carried = kept.size > 0 ? { form: from, kept } : undefined;
      excerpt.copier.leaveOut((ref) => from.strays.has(ref) || isLeftOut(from.nodes.get(ref), kept));
      if (carried !== undefined) form.prepare(excerpt, carried);
    },
    add: (excerpt) => {
      if (carried !== undefined) form.add(excerpt, carried);
      carried = undefined;
    },
    finish: () => {
      form.write();
      return [];
    },
  };
}

function isLeftOut(node: FormNode | undefined, kept: KeptFields): boolean {
  return node !== undefined && !kept.has(node);
}

/** What goes along with one excerpt. */
interface Carried {
  readonly form: Form;
  readonly kept: KeptFields;
}

/** How the nodes of one excerpt change on their way. */
interface Changes {
  /** New names of topmost fields by the old ones. */
  readonly names: Map<string, string>;
  readonly fonts: ReadonlyMap<PDFName, PDFName>;
  readonly defaults: ReadonlyMap<PDFName, PDFObject>;
}

/** The form of the new document while it grows. */
class NewForm {
  private readonly names = new UnusedNames();
  private readonly resources: FormResources;
  private readonly fields: PDFRef[] = [];
  private readonly calculated: PDFRef[] = [];
  private defaults: ReadonlyMap<PDFName, PDFObject> | undefined;
  private needsAppearances = false;

  constructor(private readonly document: PDFDocument) {
    this.resources = new FormResources(document.context);
  }

  prepare({ copier, isWhole }: Excerpt, { form, kept }: Carried): void {
    const fonts = isWhole ? undefined : fontsOf(form, kept);
    const renamed = this.resources.plan(dictAt(form.dict, 'DR'), fonts);
    const changes: Changes = { names: new Map(), fonts: renamed, defaults: defaultsOf(form, renamed) };
    for (const [node, kids] of kept) copier.substitute(node.ref, this.changed(node, kids, changes));
    this.defaults ??= changes.defaults;
  }

  add({ copier }: Excerpt, { form, kept }: Carried): void {
    this.resources.copy(copier);
    for (const node of kept.keys()) {
      if (node.parent !== null) continue;
      const copy = copier.copy(node.ref);
      if (copy instanceof PDFRef) this.fields.push(copy);
    }
    for (const ref of calculatedBy(form)) {
      const copy = copier.copyOf(ref);
      if (copy !== undefined) this.calculated.push(copy);
    }
    this.needsAppearances ||= form.dict?.lookup(PDFName.of('NeedAppearances')) === PDFBool.True;
  }

  write(): void {
    if (this.fields.length === 0) return;
    const { context, catalog } = this.document;
    const form = context.obj({ Fields: this.fields });
    for (const [key, value] of this.defaults ?? []) form.set(key, value);
    const resources = this.resources.toDict();
    if (resources !== undefined) form.set(PDFName.of('DR'), resources);
    if (this.calculated.length > 0) form.set(PDFName.of('CO'), context.obj(this.calculated));
    if (this.needsAppearances) form.set(PDFName.of('NeedAppearances'), PDFBool.True);
    catalog.set(PDFName.of('AcroForm'), context.register(form));
  }

  /** The dictionary of a node, of the source still, as it goes into the new document. */
  private changed(node: FormNode, kids: readonly FormNode[], { names, fonts, defaults }: Changes): PDFDict {
    const dict = node.dict.clone();
    const { context } = dict;
    setOrDelete(dict, 'Kids', kids.length > 0 ? context.obj(kids.map(({ ref }) => ref)) : undefined);
    setOrDelete(dict, 'Parent', node.parent?.ref);
    if (node.type === 'Sig') dict.delete(PDFName.of('V'));
    if (node.parent === null) for (const [key, value] of defaults) if (!dict.has(key)) dict.set(key, value);
    const appearance = dict.lookup(appearanceKey);
    if (isText(appearance)) dict.set(appearanceKey, renameFonts(appearance, fonts));
    if (node.name !== undefined && !node.hasNamedAncestor) this.rename(dict, node.name, names);
    return dict;
  }

  private rename(dict: PDFDict, name: string, names: Map<string, string>): void {
    const given = names.get(name) ?? this.names.take(name);
    names.set(name, given);
    if (given !== name) dict.set(PDFName.of('T'), PDFHexString.fromText(given));
  }
}

/** The fields that calculate, in their order. */
function calculatedBy({ dict, nodes }: Form): PDFRef[] {
  const fields = arrayAt(dict, 'CO')?.asArray() ?? [];
  return fields.filter((ref) => ref instanceof PDFRef).filter((ref) => nodes.has(ref));
}

/** The fonts that the fields select. */
function fontsOf(form: Form, kept: KeptFields): Set<PDFName> {
  const dicts = [form.dict, ...[...kept.keys()].map(({ dict }) => dict)];
  const appearances = dicts.map((dict) => dict?.lookup(appearanceKey));
  return new Set(appearances.flatMap((appearance) => (isText(appearance) ? fontsIn(appearance) : [])));
}

function defaultsOf({ dict }: Form, fonts: ReadonlyMap<PDFName, PDFName>): ReadonlyMap<PDFName, PDFObject> {
  const defaults = new Map<PDFName, PDFObject>();
  for (const key of inheritedFromForm) {
    const value = dict?.lookup(key);
    if (isText(value)) defaults.set(key, renameFonts(value, fonts));
    else if (value instanceof PDFNumber) defaults.set(key, value);
  }
  return defaults;
}

function setOrDelete(dict: PDFDict, key: string, value: PDFObject | undefined): void {
  if (value === undefined) dict.delete(PDFName.of(key));
  else dict.set(PDFName.of(key), value);
}
