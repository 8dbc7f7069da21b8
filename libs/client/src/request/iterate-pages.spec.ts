import type { Page } from '../wire/page.js';
import { iteratePages } from './iterate-pages.js';

describe('a list', () => {
  const page = (data: readonly number[], next_cursor: string | null): Page<number> => ({
    object: 'list',
    data,
    next_cursor,
  });

  async function read(pages: readonly Page<number>[], cursor?: string) {
    const asked: (string | undefined)[] = [];
    const readPage = async (at: string | undefined) => pages[asked.push(at) - 1] ?? page([], null);
    const entries: number[] = [];
    for await (const entry of iteratePages(readPage, cursor)) entries.push(entry);
    return { entries, asked };
  }

  it('is read page after page, to the one without a cursor', async () => {
    expect(await read([page([1, 2], 'a'), page([3], 'b'), page([4], null)])).toEqual({
      entries: [1, 2, 3, 4],
      asked: [undefined, 'a', 'b'],
    });
  });

  it('begins where it is told to', async () => {
    expect((await read([page([1], null)], 'there')).asked).toEqual(['there']);
  });

  it('ends at an empty page whose cursor stays where it was', async () => {
    expect(await read([page([1], 'a'), page([], 'a')])).toEqual({ entries: [1], asked: [undefined, 'a'] });
  });

  it('asks for no page that nobody reads', async () => {
    const asked: (string | undefined)[] = [];
    for await (const entry of iteratePages(async (at) => (asked.push(at), page([1, 2], 'a')), undefined)) {
      if (entry === 2) break;
    }
    expect(asked).toEqual([undefined]);
  });
});
