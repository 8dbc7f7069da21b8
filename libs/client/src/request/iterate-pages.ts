import type { Page } from '../wire/page.js';

/**
 * The entries of a list, page after page.
 *
 * @param cursor where to begin; `undefined` at the beginning
 */
export async function* iteratePages<T>(
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
  cursor: string | undefined,
): AsyncGenerator<T, void> {
  let next: string | null | undefined = cursor;
  do {
    const page: Page<T> = await readPage(next);
    yield* page.data;
    // The cursor of a list that is made for polling stays where it is at the end.
    next = page.data.length === 0 ? null : page.next_cursor;
  } while (next !== null);
}
