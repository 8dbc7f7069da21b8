import type { PDFDocument, PDFObject } from 'pdf-lib';
import { PDFHexString, PDFName } from 'pdf-lib';
import { dictAt } from '../../document/objects/read-entry.js';
import type { NamedEntry } from '../../document/trees/read-name-tree.js';
import { writeNameTree } from '../../document/trees/write-name-tree.js';
import type { Carrier } from '../carrier.js';
import type { Excerpt } from '../excerpt.js';
import { isTaken } from '../is-taken.js';
import { takeName } from '../names/take-name.js';
import { UnusedNames } from '../names/unused-names.js';
import { findDestination } from './find-destination.js';
import { type NamedDestination, namedDestinations } from './named-destinations.js';
import { type LeadDestination, rewriteLinks } from './rewrite-links.js';

/** The new names, as bytes in Latin-1, of destinations whose pages were taken. */
type NewNames = ReadonlyMap<NamedDestination, string>;

/**
 * Keeps named destinations whose pages were taken, all of them in one name tree. A name that an earlier source has already gets a number, and the links
 * of its own source follow it, so that no link leads into another document. Links to pages that were not taken lead nowhere.
 */
export function carryDestinations(document: PDFDocument): Carrier {
  const names = new UnusedNames();
  const entries: NamedEntry[] = [];
  let newNames: NewNames = new Map();
  return {
    prepare: (excerpt) => {
      newNames = excerpt.repeat === 0 ? nameAnew(excerpt, names) : new Map();
      excerpt.copier.rewrite(rewriteLinks(leadIn(excerpt, newNames)));
    },
    add: ({ copier }) => {
      for (const [{ destination }, name] of newNames) entries.push([name, copier.copy(destination.array)]);
    },
    finish: () => {
      if (entries.length > 0) writeDestinations(document, entries);
      return [];
    },
  };
}

function nameAnew({ source, pages }: Excerpt, names: UnusedNames): NewNames {
  const { byPage } = namedDestinations(source);
  const taken = pages.flatMap(({ index }) => byPage.get(index) ?? []);
  return new Map(taken.map((named) => [named, takeName(named.name, names)]));
}

/** Names lead to the first copy of a page; the links of pages that are taken again lead to the copies among them, without names. */
function leadIn(excerpt: Excerpt, newNames: NewNames): LeadDestination {
  return (value): PDFObject | null => {
    const found = findDestination(excerpt.source, value);
    if (found === null || !isTaken(excerpt, found.destination.page)) return null;
    const name = found.named === undefined ? undefined : newNames.get(found.named);
    return name === undefined ? found.destination.array : stringOf(name);
  };
}

function stringOf(name: string): PDFHexString {
  return PDFHexString.of(Buffer.from(name, 'latin1').toString('hex'));
}

function writeDestinations({ catalog, context }: PDFDocument, entries: readonly NamedEntry[]): void {
  const trees = dictAt(catalog, 'Names') ?? context.obj({});
  trees.set(PDFName.of('Dests'), writeNameTree(context, entries));
  catalog.set(PDFName.of('Names'), trees);
}
