type Members = Readonly<Record<string, string>>;

/** What a merge patch (RFC 7396) makes of an object of texts: `null` for the whole takes all of it away, `null` for a member takes that. */
export function mergeMembers(
  current: Members,
  patch: Readonly<Record<string, string | null>> | null | undefined,
  nameOf: (name: string) => string = (name) => name,
): Members {
  if (patch === undefined) return current;
  if (patch === null) return {};
  const named = new Set(Object.keys(patch).map(nameOf));
  const kept = Object.entries(current).filter(([name]) => !named.has(nameOf(name)));
  const given = Object.entries(patch).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries([...kept, ...given]);
}
