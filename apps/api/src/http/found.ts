import { notFound } from './not-found.js';

/** @throws RequestRefused `not_found` when there is nothing */
export function found<T>(thing: T | null, id: string): T {
  if (thing === null) throw notFound(id);
  return thing;
}
