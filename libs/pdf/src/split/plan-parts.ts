import { DocumentFailed, tooManyPages } from '../document/failure/document-failure.js';
import type { Source } from '../document/open/source.js';
import { selectPages } from '../selection/select-pages.js';
import { type Part, partBetween } from './part.js';
import { partsByOutline } from './parts-by-outline.js';
import { partsBySize } from './parts-by-size.js';
import type { SplitOptions } from './split.js';

/** The parts of a document, and the number of pages that they have together. */
export interface PartPlan {
  readonly parts: Iterable<Part> | AsyncIterable<Part>;
  readonly pages: number;
  /** How many parts there are; `null` if only the writing tells. */
  readonly count: number | null;
}

/** What the parts of a document will have. @throws DocumentFailed when the options name pages that it does not have, or more than `maxPages` for one part */
export function planParts(source: Source, options: SplitOptions, maxPages: number): PartPlan {
  if (options.by === 'size')
    return { parts: partsBySize(source, options.max_bytes), pages: source.pages.length, count: null };
  const parts = listParts(source, options, maxPages);
  return { parts, pages: parts.reduce((sum, { pages }) => sum + pages.length, 0), count: parts.length };
}

type ListedOptions = Exclude<SplitOptions, { readonly by: 'size' }>;

function listParts(source: Source, options: ListedOptions, maxPages: number): Part[] {
  switch (options.by) {
    case 'pages':
      return inSteps(source.pages.length, 1);
    case 'every':
      return inSteps(source.pages.length, options.pages);
    case 'outline':
      return partsByOutline(source);
    case 'ranges':
      return options.ranges.map((range) => selectedPart(source, range, maxPages));
  }
}

function inSteps(pageCount: number, step: number): Part[] {
  const starts = Array.from({ length: Math.ceil(pageCount / step) }, (_, index) => index * step);
  return starts.map((start) => partBetween(start, Math.min(start + step, pageCount)));
}

function selectedPart({ input, pages: { length } }: Source, range: string, maxPages: number): Part {
  const pages = selectPages(range, input, length);
  if (pages.length > maxPages) throw new DocumentFailed(tooManyPages(input, pages.length, maxPages));
  return { pages, title: null, warning: null };
}
