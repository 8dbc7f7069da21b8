import type { PDFDocument } from 'pdf-lib';
import { PDFDict, PDFName } from 'pdf-lib';
import { dictAt, entryAt, nameAt } from '../document/objects/read-entry.js';
import type { Carrier } from './carrier.js';
import type { Excerpt } from './excerpt.js';
import { isTaken } from './is-taken.js';
import { findDestination } from './links/find-destination.js';
import type { Destination } from './links/read-destination.js';

/** The new document opens where its first source does, if that page was taken. Whatever else a source does when it is opened is left out. */
export function carryOpenAction({ catalog }: PDFDocument): Carrier {
  let isFirst = true;
  return {
    add: (excerpt) => {
      const destination = isFirst ? openedAt(excerpt) : null;
      isFirst = false;
      if (destination !== null && isTaken(excerpt, destination.page))
        catalog.set(PDFName.of('OpenAction'), excerpt.copier.copy(destination.array));
    },
    finish: () => [],
  };
}

function openedAt({ source }: Excerpt): Destination | null {
  const { catalog } = source.document;
  const action = dictAt(catalog, 'OpenAction');
  const isAction = action instanceof PDFDict && nameAt(action, 'S') !== undefined;
  if (isAction && nameAt(action, 'S') !== 'GoTo') return null;
  const value = isAction ? entryAt(action, 'D') : entryAt(catalog, 'OpenAction');
  return findDestination(source, value)?.destination ?? null;
}
