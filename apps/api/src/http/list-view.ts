import { type IdPrefix, typeId } from '#libs/domain';

/** A page of a list: one item more than the page was read to know whether there is another. */
export function listView<T extends { readonly id: string }, V>(
  items: readonly T[],
  page: { readonly limit: number; readonly prefix: IdPrefix },
  view: (item: T) => V,
) {
  const data = items.slice(0, page.limit);
  const last = data.at(-1);
  const next_cursor = items.length > page.limit && last !== undefined ? typeId(page.prefix, last.id) : null;
  return { object: 'list' as const, data: data.map(view), next_cursor };
}
