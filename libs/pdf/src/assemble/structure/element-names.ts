import type { PDFContext, PDFObject, PDFString } from 'pdf-lib';
import { PDFArray, PDFDict, PDFHexString, PDFName } from 'pdf-lib';
import { arrayAt, dictAt, entryAt, isText } from '../../document/objects/read-entry.js';
import type { NamedEntry } from '../../document/trees/read-name-tree.js';
import { writeNameTree } from '../../document/trees/write-name-tree.js';
import { UnusedNames } from '../names/unused-names.js';
import type { ObjectCopier } from '../object-copier.js';

/** What the elements of one source are called in the new document, where it is another name. */
interface Renames {
  readonly roles: ReadonlyMap<string, string>;
  readonly classes: ReadonlyMap<string, string>;
}

/**
 * The names that elements go by: roles (ISO 32000-1, 14.7.3), attribute classes (14.7.5.2) and ids. What two sources call the same and is
 * not the same gets another name in the later one, and its elements follow.
 */
export class ElementNames {
  private readonly roles: NameMap;
  private readonly classes: NameMap;
  private readonly ids = new UnusedNames();
  private readonly byId: NamedEntry[] = [];

  constructor(private readonly context: PDFContext) {
    this.roles = new NameMap(context);
    this.classes = new NameMap(context);
  }

  /** Takes in the names of a source whose elements are copied. */
  add(root: PDFDict, copier: ObjectCopier): void {
    const renames = {
      roles: this.roles.add(dictAt(root, 'RoleMap'), copier),
      classes: this.classes.add(dictAt(root, 'ClassMap'), copier),
    };
    const ids = new Map<string, string>();
    const elements = copier.made.flatMap((ref) => {
      const element = this.context.lookup(ref);
      return isElement(element) ? [{ ref, element }] : [];
    });
    for (const { ref, element } of elements) {
      rename(element, renames);
      const id = idOf(element);
      if (id === null) continue;
      const given = this.ids.take(id);
      this.byId.push([given, ref]);
      if (given !== id) ids.set(id, given);
    }
    if (ids.size > 0) for (const { element } of elements) renameIds(element, ids);
  }

  writeTo(root: PDFDict): void {
    this.roles.writeTo(root, 'RoleMap');
    this.classes.writeTo(root, 'ClassMap');
    if (this.byId.length > 0) root.set(PDFName.of('IDTree'), writeNameTree(this.context, this.byId));
  }
}

/** Entries of the dictionaries of all sources, by names that are each of one meaning. */
class NameMap {
  private readonly entries: PDFDict;
  private readonly names = new UnusedNames();

  constructor(private readonly context: PDFContext) {
    this.entries = context.obj({});
  }

  /** Returns what of the source got another name. */
  add(source: PDFDict | undefined, copier: ObjectCopier): Map<string, string> {
    const renames = new Map<string, string>();
    for (const [key, value] of source?.entries() ?? []) {
      const copy = copier.copy(value);
      if (this.meaningOf(this.entries.get(key)) === this.meaningOf(copy)) continue;
      const given = this.names.take(key.decodeText());
      this.entries.set(PDFName.of(given), copy);
      if (given !== key.decodeText()) renames.set(key.decodeText(), given);
    }
    return renames;
  }

  writeTo(root: PDFDict, key: string): void {
    if (this.entries.keys().length > 0) root.set(PDFName.of(key), this.entries);
  }

  private meaningOf(value: PDFObject | undefined): string | undefined {
    return this.context.lookup(value)?.toString();
  }
}

function isElement(object: PDFObject | undefined): object is PDFDict {
  return object instanceof PDFDict && object.has(PDFName.of('S')) && object.has(PDFName.of('P'));
}

function rename(element: PDFDict, { roles, classes }: Renames): void {
  const renamed = (name: PDFObject, names: ReadonlyMap<string, string>): PDFObject => {
    const given = name instanceof PDFName ? names.get(name.decodeText()) : undefined;
    return given === undefined ? name : PDFName.of(given);
  };
  const [role, ofClass] = [entryAt(element, 'S'), element.lookup(PDFName.of('C'))];
  if (role !== undefined && roles.size > 0) element.set(PDFName.of('S'), renamed(role, roles));
  if (ofClass === undefined || classes.size === 0) return;
  if (ofClass instanceof PDFArray)
    ofClass.asArray().forEach((name, index) => ofClass.set(index, renamed(name, classes)));
  else element.set(PDFName.of('C'), renamed(ofClass, classes));
}

function idOf(element: PDFDict): string | null {
  const id = element.lookup(PDFName.of('ID'));
  return isText(id) ? bytesOf(id) : null;
}

/** The id of an element, and those of the headers that a table cell names among its attributes (14.8.5.7). */
function renameIds(element: PDFDict, ids: ReadonlyMap<string, string>): void {
  const id = idOf(element);
  const given = id === null ? undefined : ids.get(id);
  if (given !== undefined) element.set(PDFName.of('ID'), textOf(given));
  for (const attributes of attributesOf(element)) {
    const headers = arrayAt(attributes, 'Headers');
    headers?.asArray().forEach((header, index) => {
      const name = isText(header) ? ids.get(bytesOf(header)) : undefined;
      if (name !== undefined) headers.set(index, textOf(name));
    });
  }
}

function attributesOf(element: PDFDict): PDFDict[] {
  const attributes = element.lookup(PDFName.of('A'));
  const list = attributes instanceof PDFArray ? attributes.asArray() : [attributes];
  return list.map((each) => element.context.lookup(each)).filter((each) => each instanceof PDFDict);
}

function bytesOf(text: PDFString | PDFHexString): string {
  return Buffer.from(text.asBytes()).toString('latin1');
}

function textOf(bytes: string): PDFHexString {
  return PDFHexString.of(Buffer.from(bytes, 'latin1').toString('hex'));
}
