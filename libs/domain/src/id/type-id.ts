import { TypeID } from 'typeid-js';

/** The prefix that tells a reader of an id what it names (TypeID spec 0.3: prefix, `_`, UUID in base 32). */
export const idPrefixes = ['job', 'batch', 'file', 'evt', 'ep', 'dlv', 'acct', 'key', 'sec', 'rec'] as const;

/** One of {@link idPrefixes}. */
export type IdPrefix = (typeof idPrefixes)[number];

/** One request shows the same few ids many times. */
const recent = new Map<string, string>();
const mostRecent = 1_000;

/** The public form of a stored UUID, such as `job_01k...`. */
export function typeId(prefix: IdPrefix, uuid: string): string {
  const name = prefix + uuid;
  const known = recent.get(name);
  if (known !== undefined) return known;
  if (recent.size >= mostRecent) recent.clear();
  const id = TypeID.fromUUID(prefix, uuid).toString();
  recent.set(name, id);
  return id;
}

/** The stored UUID of a public id, or `null` when the text is no id of that prefix. */
export function uuidOf(prefix: IdPrefix, id: string): string | null {
  try {
    return TypeID.fromString(id, prefix).toUUID();
  } catch {
    return null;
  }
}
