import { refusedAt, RequestRefused } from '#libs/contract';
import { type IdPrefix, typeId, uuidOf } from '#libs/domain';
import { wrongIdSentence } from './id-kinds.js';

/** The UUID of an id in a path. @throws RequestRefused `not_found` */
export function pathId(prefix: IdPrefix, id: string): string {
  const uuid = uuidOf(prefix, id);
  if (uuid === null) throw new RequestRefused('not_found', wrongIdSentence(prefix, id));
  return uuid;
}

/** @throws RequestRefused `not_found` when there is nothing */
export function found<T>(thing: T | null, id: string): T {
  if (thing === null) throw notFound(id);
  return thing;
}

/** The refusal of an id that names nothing of the account. */
export function notFound(id: string): RequestRefused {
  return new RequestRefused('not_found', `there is no ${id.slice(0, 100)}`);
}

/** The UUID of an id in a query, absent when it was. @throws RequestRefused `invalid_request` */
export function queryId(prefix: IdPrefix, name: string, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const uuid = uuidOf(prefix, id);
  if (uuid !== null) return uuid;
  throw refusedAt('invalid_request', `query:${name}`, wrongIdSentence(prefix, id));
}

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
