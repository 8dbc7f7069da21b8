import type { PDFContext, PDFObject } from 'pdf-lib';
import { type PDFDict, PDFName, PDFNull } from 'pdf-lib';
import { dictAt } from '../../document/objects/read-entry.js';
import type { ObjectCopier } from '../object-copier.js';
import { type HeldObject, isSameObject } from '../same-object.js';

const fontKey = 'Font';

/** The categories of resources that have names (ISO 32000-1, table 33). */
const categories = [fontKey, 'Encoding', 'XObject', 'ExtGState', 'ColorSpace', 'Pattern', 'Shading', 'Properties'];

interface Planned {
  readonly category: string;
  readonly name: PDFName;
  readonly object: PDFObject;
}

/** The resources that the fields of a new document share (`DR` of its form), gathered from those of its sources. */
export class FormResources {
  private readonly held = new Map<string, Map<PDFName, HeldObject>>();
  private readonly copied = new Map<string, Map<PDFName, PDFObject>>();
  private planned: Planned[] = [];

  constructor(private readonly context: PDFContext) {}

  /**
   * Finds names for the resources of a source. One that is there already, as the same thing, is used again; one whose name stands for something
   * else gets another.
   *
   * @param fonts the fonts to take; all without it
   * @returns the names of its fonts in the new document by those that they have
   */
  plan(resources: PDFDict | undefined, fonts: ReadonlySet<PDFName> | undefined): ReadonlyMap<PDFName, PDFName> {
    const renamed = new Map<PDFName, PDFName>();
    if (resources === undefined) return renamed;
    const { context } = resources;
    for (const category of categories) {
      const isFont = category === fontKey;
      for (const [name, object] of dictAt(resources, category)?.entries() ?? []) {
        if (isFont && fonts?.has(name) === false) continue;
        const given = this.place(category, name, { object, context });
        if (isFont) renamed.set(name, given);
      }
    }
    return renamed;
  }

  /** Copies what was planned. */
  copy(copier: ObjectCopier): void {
    for (const { category, name, object } of this.planned) {
      const copy = copier.copy(object);
      if (copy !== PDFNull) inner(this.copied, category).set(name, copy);
      inner(this.held, category).set(name, { object: copy, context: this.context });
    }
    this.planned = [];
  }

  /** `undefined` if there are none. */
  toDict(): PDFDict | undefined {
    if (this.copied.size === 0) return undefined;
    const resources = this.context.obj({});
    for (const [category, objects] of this.copied) {
      const dict = this.context.obj({});
      for (const [name, object] of objects) dict.set(name, object);
      resources.set(PDFName.of(category), dict);
    }
    return resources;
  }

  private place(category: string, name: PDFName, resource: HeldObject): PDFName {
    const held = inner(this.held, category);
    let given = name;
    for (let number = 2; ; number += 1) {
      const there = held.get(given);
      if (there !== undefined && isSameObject(there, resource)) return given;
      if (there === undefined) break;
      given = PDFName.of(`${name.asString().slice(1)}_${number}`);
    }
    held.set(given, resource);
    this.planned.push({ category, name: given, object: resource.object });
    return given;
  }
}

function inner<Value>(outer: Map<string, Map<PDFName, Value>>, key: string): Map<PDFName, Value> {
  const found = outer.get(key) ?? new Map<PDFName, Value>();
  outer.set(key, found);
  return found;
}
