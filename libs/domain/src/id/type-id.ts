import { fromString, fromUUID, toUUID } from 'typeid-js';

/** The prefix that tells a reader of an id what it names (TypeID spec 0.3: prefix, `_`, UUID in base 32). */
export const idPrefixes = ['job', 'batch', 'file', 'evt', 'ep', 'dlv', 'acct', 'key', 'sec', 'rec'] as const;

/** One of {@link idPrefixes}. */
export type IdPrefix = (typeof idPrefixes)[number];

/** The public form of a stored UUID, such as `job_01k...`. */
export function typeId(prefix: IdPrefix, uuid: string): string {
  return fromUUID(uuid, prefix);
}

/** The stored UUID of a public id, or `null` when the text is no id of that prefix. */
export function uuidOf(prefix: IdPrefix, id: string): string | null {
  try {
    return toUUID(fromString(id, prefix));
  } catch {
    return null;
  }
}
