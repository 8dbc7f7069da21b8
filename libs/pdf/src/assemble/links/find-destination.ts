import type { PDFDict, PDFObject } from 'pdf-lib';
import { dictAt, entryAt, nameAt } from '../../document/objects/read-entry.js';
import type { Source } from '../../document/open/source.js';
import { findNamed, type NamedDestination } from './named-destinations.js';
import { type Destination, readDestination } from './read-destination.js';

/** A destination, and under which name it was found, if it was. */
export interface FoundDestination {
  readonly destination: Destination;
  readonly named: NamedDestination | undefined;
}

/** The destination that a link, an action or an outline item has: an explicit one, or a name. `null` when it leads nowhere. */
export function findDestination(source: Source, value: PDFObject | undefined): FoundDestination | null {
  const named = findNamed(source, source.document.context.lookup(value));
  const destination = named?.destination ?? readDestination(source, value);
  return destination === null ? null : { destination, named };
}

/** The same for whatever holds one as its `Dest`, or in an action that goes to it. */
export function findTarget(source: Source, holder: PDFDict): FoundDestination | null {
  const own = entryAt(holder, 'Dest');
  if (own !== undefined) return findDestination(source, own);
  const action = dictAt(holder, 'A');
  return nameAt(action, 'S') === 'GoTo' ? findDestination(source, entryAt(action, 'D')) : null;
}
