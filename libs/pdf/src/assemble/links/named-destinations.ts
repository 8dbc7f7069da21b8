import type { PDFObject } from 'pdf-lib';
import { PDFName } from 'pdf-lib';
import { readNameTree } from '../../document/trees/read-name-tree.js';
import { dictAt, isText } from '../../document/objects/read-entry.js';
import type { Source } from '../../document/open/source.js';
import { oncePer } from '../once-per.js';
import { type Destination, readDestination } from './read-destination.js';

/** A destination and the bytes of its name, as Latin-1. */
export interface NamedDestination {
  readonly name: string;
  readonly destination: Destination;
}

/** All named destinations of a document that lead to one of its pages. */
export interface NamedDestinations {
  /** Those of the name tree, which links name by strings. */
  readonly inTree: ReadonlyMap<string, NamedDestination>;
  /** Those of the older dictionary, which links name by names. */
  readonly inDictionary: ReadonlyMap<string, NamedDestination>;
  /** The same by the page that they lead to, those of the tree first. */
  readonly byPage: ReadonlyMap<number, readonly NamedDestination[]>;
}

/** Reads them once for each source (ISO 32000-1, 12.3.2.3). Of several in one place with the same name the first counts. */
export const namedDestinations = oncePer((source: Source): NamedDestinations => {
  const { catalog } = source.document;
  const inTree = collect(source, readNameTree(dictAt(dictAt(catalog, 'Names'), 'Dests')));
  const old = dictAt(catalog, 'Dests')?.entries() ?? [];
  const byNames = collect(
    source,
    old.map(([name, value]) => [bytesOf(name.asBytes()), value]),
  );
  const inDictionary = new Map([...byNames].map(([name, named]) => [name, sameOf(named, inTree.get(name))]));
  return { inTree, inDictionary, byPage: byPage(new Set([...inTree.values(), ...inDictionary.values()])) };
});

/** The destination that a name or a string stands for. A reader that finds none in one place looks in the other. */
export function findNamed(source: Source, name: PDFObject | undefined): NamedDestination | undefined {
  const { inTree, inDictionary } = namedDestinations(source);
  if (isText(name)) return findIn(bytesOf(name.asBytes()), inTree, inDictionary);
  return name instanceof PDFName ? findIn(bytesOf(name.asBytes()), inDictionary, inTree) : undefined;
}

type Named = ReadonlyMap<string, NamedDestination>;

function findIn(name: string, first: Named, second: Named): NamedDestination | undefined {
  return first.get(name) ?? second.get(name);
}

function collect(source: Source, entries: readonly (readonly [string, PDFObject])[]): Named {
  const named = new Map<string, NamedDestination>();
  for (const [name, value] of entries) {
    const destination = named.has(name) ? null : readDestination(source, value);
    if (destination !== null) named.set(name, { name, destination });
  }
  return named;
}

/** Some programs write the same destinations in both places. */
function sameOf(named: NamedDestination, inTree: NamedDestination | undefined): NamedDestination {
  return String(inTree?.destination.array) === String(named.destination.array) && inTree !== undefined ? inTree : named;
}

function byPage(all: Iterable<NamedDestination>): ReadonlyMap<number, readonly NamedDestination[]> {
  const pages = new Map<number, NamedDestination[]>();
  for (const named of all) {
    const { page } = named.destination;
    const others = pages.get(page);
    if (others === undefined) pages.set(page, [named]);
    else others.push(named);
  }
  return pages;
}

function bytesOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
