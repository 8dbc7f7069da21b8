import type { FieldProblem } from '#libs/contract';

/** Where a value stands: its place in each thing that it is in, from the outermost. */
type Place = readonly number[];

/** More come of no mistake that a person makes; their order is worth no time. */
const mostOrdered = 10_000;

/**
 * The problems of a parsed JSON text, up to 10,000 of them, in the order in which it has what they are about: members as JavaScript orders them, names that
 * are whole numbers first. What it does not have comes last where it is missing.
 */
export function inDocumentOrder(json: unknown, problems: readonly FieldProblem[]): readonly FieldProblem[] {
  if (problems.length > mostOrdered) return problems;
  const places = new Places();
  const placed = problems.map((problem) => ({ problem, place: places.of(json, problem.pointer) }));
  return placed.sort((one, other) => compare(one.place, other.place)).map(({ problem }) => problem);
}

/** Remembers the names of each object, as many problems may be about one. */
class Places {
  private readonly known = new Map<object, ReadonlyMap<string, number>>();

  of(json: unknown, pointer: string): Place {
    let value = json;
    return tokensOf(pointer).map((token) => {
      const place = this.within(value, token);
      value = place === Infinity ? undefined : (value as Readonly<Record<string, unknown>>)[token];
      return place;
    });
  }

  private within(value: unknown, token: string): number {
    if (Array.isArray(value)) return /^\d+$/.test(token) ? Number(token) : Infinity;
    return typeof value === 'object' && value !== null ? (this.namesOf(value).get(token) ?? Infinity) : Infinity;
  }

  private namesOf(object: object): ReadonlyMap<string, number> {
    const names = this.known.get(object) ?? new Map(Object.keys(object).map((name, index) => [name, index]));
    this.known.set(object, names);
    return names;
  }
}

function tokensOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What a problem is about comes before what is in it. */
function compare(one: Place, other: Place): number {
  const differing = one.findIndex((place, depth) => place !== other[depth]);
  const [mine, theirs] = [one[differing], other[differing]];
  if (mine === undefined || theirs === undefined) return one.length - other.length;
  return mine < theirs ? -1 : 1;
}
