/** A path from its segments, which are escaped. @throws TypeError for one that would lead elsewhere */
export function pathOf(...segments: readonly (string | number)[]): string {
  return `/v1/${segments.map((segment) => escapeSegment(String(segment))).join('/')}`;
}

/** Parameters of a query; those that are `undefined` are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** A path with its query. */
export function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}

function escapeSegment(segment: string): string {
  if (['', '.', '..'].includes(segment)) throw new TypeError(`${JSON.stringify(segment)} is no id`);
  return encodeURIComponent(segment);
}
