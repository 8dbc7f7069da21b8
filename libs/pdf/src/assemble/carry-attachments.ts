import type { PDFDocument, PDFObject } from 'pdf-lib';
import { PDFDict, PDFName, PDFNull } from 'pdf-lib';
import type { DocumentWarning } from '../document/failure/document-warnings.js';
import { arrayAt, dictAt } from '../document/objects/read-entry.js';
import type { Source } from '../document/open/source.js';
import { namesOf } from '../document/trees/names-of.js';
import type { NamedEntry } from '../document/trees/read-name-tree.js';
import { readNameTree } from '../document/trees/read-name-tree.js';
import { writeNameTree } from '../document/trees/write-name-tree.js';
import type { Carrier } from './carrier.js';
import type { Excerpt } from './excerpt.js';
import { takeName } from './names/take-name.js';
import { UnusedNames } from './names/unused-names.js';
import { oncePer } from './once-per.js';

/** The files that hang on a document, none of its pages. */
interface Attachments {
  /** Those that have a name. */
  readonly named: readonly NamedEntry[];
  /** Those that are related to the document (`AF`, ISO 32000-2, 14.13), which are most often among the others. */
  readonly associated: readonly PDFObject[];
}

const attachmentsOf = oncePer(({ document }: Source): Attachments => {
  const { catalog } = document;
  const named = readNameTree(dictAt(dictAt(catalog, 'Names'), 'EmbeddedFiles'));
  return { named, associated: arrayAt(catalog, 'AF')?.asArray() ?? [] };
});

/**
 * The attachments of each source, once; where a name is taken the later one gets another. Files that hang on a page go with the page. A portfolio
 * becomes a document with attachments.
 *
 * @param isPart whether the document is one of several parts of a source: what is attached to the whole goes into none but one that is the whole
 */
export function carryAttachments(document: PDFDocument, isPart: boolean): Carrier {
  const { catalog, context } = document;
  const names = new UnusedNames();
  const named: NamedEntry[] = [];
  const associated: PDFObject[] = [];
  const warnings = new Set<DocumentWarning>();

  function take({ copier }: Excerpt, attachments: Attachments): void {
    for (const [name, value] of attachments.named) {
      const copy = copier.copy(value);
      if (context.lookup(copy) instanceof PDFDict) named.push([takeName(name, names), copy]);
    }
    for (const value of attachments.associated) {
      const copy = copier.copy(value);
      if (copy !== PDFNull) associated.push(copy);
    }
  }

  return {
    add: (excerpt) => {
      if (excerpt.repeat > 0) return;
      const attachments = attachmentsOf(excerpt.source);
      if (!isPart || excerpt.isWhole) take(excerpt, attachments);
      else if (attachments.named.length > 0) warnings.add('attachments_dropped');
    },
    finish: () => {
      if (named.length > 0) namesOf(document).set(PDFName.of('EmbeddedFiles'), writeNameTree(context, named));
      if (associated.length > 0) catalog.set(PDFName.of('AF'), context.obj(associated));
      return [...warnings];
    },
  };
}
