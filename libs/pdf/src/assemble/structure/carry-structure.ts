import type { PDFDocument, PDFObject } from 'pdf-lib';
import { PDFName, PDFNumber, PDFRef } from 'pdf-lib';
import type { DocumentWarning } from '../../document/failure/document-warnings.js';
import { arrayAt } from '../../document/objects/read-entry.js';
import { writeNumberTree } from '../../document/trees/write-number-tree.js';
import type { Carrier } from '../carrier.js';
import type { Excerpt } from '../excerpt.js';
import { chooseElements, type IsTaken } from './choose-elements.js';
import { ElementNames } from './element-names.js';
import { kidsOf, structureOf } from './read-structure.js';
import { renumberContent, type TakenStructure } from './renumber-content.js';

/**
 * Carries the tagged structure along (ISO 32000-1, 14.7): the elements of each source, as far as they have content on the pages taken, under one
 * root. Where only some of the sources are tagged, the new document says of itself that it is not, so that readers do not take the
 * other pages for empty.
 */
export function carryStructure(document: PDFDocument): Carrier {
  const structure = new NewStructure(document);
  const choices = new Map<Excerpt, IsTaken>();
  return {
    prepare: (excerpt) => {
      const isTaken = structure.prepare(excerpt);
      if (isTaken !== null) choices.set(excerpt, isTaken);
    },
    add: (excerpt) => {
      structure.add(excerpt, choices.get(excerpt));
      choices.delete(excerpt);
    },
    finish: () => structure.write(),
  };
}

/** The structure of the new document while it grows. */
class NewStructure {
  private readonly rootRef: PDFRef;
  private readonly kids: PDFObject[] = [];
  private readonly namespaces: PDFRef[] = [];
  private readonly parents: PDFObject[] = [];
  private readonly names: ElementNames;
  private hasUntagged = false;

  constructor(private readonly document: PDFDocument) {
    this.rootRef = document.context.nextRef();
    this.names = new ElementNames(document.context);
  }

  /** Which elements come along with an excerpt; `null` if its source is not tagged. */
  prepare(excerpt: Excerpt): IsTaken | null {
    const structure = structureOf(excerpt.source.document);
    if (structure === null) return null;
    if (structure.rootRef !== undefined) excerpt.copier.lead(structure.rootRef, this.rootRef);
    return chooseElements(structure, excerpt);
  }

  add(excerpt: Excerpt, isTaken: IsTaken | undefined): void {
    const structure = structureOf(excerpt.source.document);
    if (structure === null || isTaken === undefined) this.hasUntagged = true;
    else this.addTagged({ structure, excerpt, isTaken });
  }

  write(): DocumentWarning[] {
    if (this.kids.length === 0) return [];
    const { context, catalog } = this.document;
    const root = context.obj({ Type: 'StructTreeRoot', K: this.kids });
    root.set(PDFName.of('ParentTree'), writeNumberTree(context, this.parents.entries()));
    root.set(PDFName.of('ParentTreeNextKey'), PDFNumber.of(this.parents.length));
    if (this.namespaces.length > 0) root.set(PDFName.of('Namespaces'), context.obj(this.namespaces));
    this.names.writeTo(root);
    context.assign(this.rootRef, root);
    catalog.set(PDFName.of('StructTreeRoot'), this.rootRef);
    catalog.set(PDFName.of('MarkInfo'), context.obj({ Marked: !this.hasUntagged }));
    return this.hasUntagged ? ['structure_partial'] : [];
  }

  private addTagged(taken: TakenStructure): void {
    const { structure, excerpt, isTaken } = taken;
    const { copier } = excerpt;
    for (const kid of kidsOf(structure.root))
      if (kid instanceof PDFRef && isTaken(kid)) this.kids.push(copier.copy(kid));
    renumberContent(taken, this.parents, this.document.context);
    this.names.add(structure.root, copier);
    for (const namespace of arrayAt(structure.root, 'Namespaces')?.asArray() ?? []) {
      const copy = namespace instanceof PDFRef ? copier.copyOf(namespace) : undefined;
      if (copy !== undefined) this.namespaces.push(copy);
    }
  }
}
