import { UnusedNames } from '../assemble/names/unused-names.js';
import { safeName, stemOf } from '../document/write/safe-name.js';
import type { Part } from './part.js';

const longestTitle = 60;
/** Of a part that has more of them, the first are named. */
const mostRuns = 4;

/**
 * Names the parts of a document: the source's name without `.pdf`, then the pages in the way of a selection (`2`, `1-3`, `1-3,7`), with zeros in
 * front so that the names sort like the pages, then the title of the chapter. A part that repeats a name gets `_2`, `_3` and so on.
 */
export class PartNames {
  private readonly stem: string;
  private readonly digits: number;
  private readonly names = new UnusedNames();

  constructor(sourceName: string, pageCount: number) {
    this.stem = stemOf(sourceName);
    this.digits = String(pageCount).length;
  }

  take({ pages, title }: Pick<Part, 'pages' | 'title'>): string {
    const chapter = title === null ? '' : safeName(title, longestTitle);
    const words = [this.stem, this.spell(pages), chapter].filter((word) => word !== '');
    return `${this.names.take(words.join('-'))}.pdf`;
  }

  private spell(pages: readonly number[]): string {
    const runs = runsOf(pages);
    const named = runs.slice(0, mostRuns).map((run) => run.map((page) => this.spellPage(page)).join('-'));
    return [...named, ...(runs.length > mostRuns ? ['etc'] : [])].join();
  }

  private spellPage(page: number): string {
    return String(page + 1).padStart(this.digits, '0');
  }
}

/** The first and the last page of each stretch of pages that follow each other, forwards or backwards; of one that is alone, only itself. */
function runsOf(pages: readonly number[]): number[][] {
  const runs: number[][] = [];
  let step = 0;
  for (const page of pages) {
    const [first = page, last = first] = runs.at(-1) ?? [];
    const own = page - last;
    const isLonger = own === step || runs.at(-1)?.length === 1;
    if (Math.abs(own) === 1 && isLonger) {
      runs[runs.length - 1] = [first, page];
      step = own;
    } else runs.push([page]);
  }
  return runs;
}
