import { parsePageSelection, resolvePageSelection } from './page-selection.js';

/** The 1-based pages that a text means in a document of so many pages. */
function pagesOf(text: string, pageCount: number): number[] | null {
  const selection = parsePageSelection(text);
  if (selection === null) throw new Error(`${text} is no selection`);
  return resolvePageSelection(selection, pageCount)?.map((page) => page + 1) ?? null;
}

describe('a page selection', () => {
  it.each([
    ['3', [3]],
    ['1-3', [1, 2, 3]],
    ['4-', [4, 5]],
    ['-1', [5]],
    ['-3--1', [3, 4, 5]],
    ['2--1', [2, 3, 4, 5]],
    ['1-3,5,-1', [1, 2, 3, 5, 5]],
    [' 2 , 1 ', [2, 1]],
    ['3-1', [3, 2, 1]],
    ['-1-1', [5, 4, 3, 2, 1]],
  ])('%j of five pages takes %j', (text, pages) => {
    expect(pagesOf(text, 5)).toEqual(pages);
  });

  it.each(['6', '1-6', '6-', '-6', '-6-1', '1,6'])('%j is not in a document of five pages', (text) => {
    expect(pagesOf(text, 5)).toBeNull();
  });

  it.each(['', '0', '0-1', '1-0', 'a', '1--', '--1', '1,,2', '1,', '1 - 2', '1.5', '1234567890'])(
    '%j is none',
    (text) => {
      expect(parsePageSelection(text)).toBeNull();
    },
  );

  it('has at most a thousand ranges', () => {
    expect(parsePageSelection(Array.from({ length: 1_000 }, () => '1').join())).toHaveLength(1_000);
    expect(parsePageSelection(Array.from({ length: 1_001 }, () => '1').join())).toBeNull();
  });
});
