import type { PDFDocument, PDFObject } from 'pdf-lib';
import type { PDFRef } from 'pdf-lib';
import { referencesIn } from './references.js';

/** Removes every object that nothing leads to from the trailer: old revisions, and what was taken out. */
export function sweep({ context }: PDFDocument): void {
  const kept = new Set<PDFRef>();
  const { Root, Info } = context.trailerInfo;
  const waiting = [Root, Info].flatMap(referencesFrom);
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    if (kept.has(ref)) continue;
    kept.add(ref);
    for (const found of referencesFrom(context.lookup(ref))) waiting.push(found);
  }
  for (const [ref] of context.enumerateIndirectObjects()) if (!kept.has(ref)) context.delete(ref);
}

function referencesFrom(object: PDFObject | undefined): PDFRef[] {
  return object === undefined ? [] : referencesIn(object);
}
