import type { PDFContext } from 'pdf-lib';
import type { Source } from '../document/open/source.js';
import type { SourcePage } from '../document/page-tree/list-pages.js';
import type { Excerpt, PlacedPage } from './excerpt.js';
import { ObjectCopier } from './object-copier.js';
import { oncePer } from './once-per.js';

/** Gives pages (0-based) of a source their places in a new document, from page `firstNumber` on. A page that is taken again goes into a further excerpt. */
export function placeExcerpts(
  source: Source,
  indices: readonly number[],
  target: { readonly context: PDFContext; readonly firstNumber: number },
): Excerpt[] {
  const { context, firstNumber } = target;
  const occurrences = new Map<number, number>();
  const byRepeat: PlacedPage[][] = [];
  for (const [offset, index] of indices.entries()) {
    const from = source.pages[index];
    if (from === undefined) throw new Error(`There is no page ${index} in input ${source.input}.`);
    const repeat = occurrences.get(index) ?? 0;
    occurrences.set(index, repeat + 1);
    const node = context.obj({});
    const page = { index, from, number: firstNumber + offset, ref: context.register(node), node };
    (byRepeat[repeat] ??= []).push(page);
  }
  const [first = []] = byRepeat;
  return byRepeat.map((pages, repeat) => {
    const copier = copierFor(source, context, [...first, ...pages]);
    return { source, pages, isWhole: pages.length === source.pages.length, repeat, copier };
  });
}

const refsOf = oncePer((pages: readonly SourcePage[]) => new Set(pages.map(({ ref }) => ref)));

/** What refers to a page leads to the copy of it that is named last. */
function copierFor({ document, pages }: Source, target: PDFContext, placed: readonly PlacedPage[]): ObjectCopier {
  const copier = new ObjectCopier(document.context, target);
  const all = refsOf(pages);
  copier.leaveOut((ref) => all.has(ref));
  for (const { from, ref } of placed) copier.lead(from.ref, ref);
  return copier;
}
