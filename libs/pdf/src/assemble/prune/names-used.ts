/** The dictionaries of resources (ISO 32000-1, table 33) that contents name things of. */
export const categories = ['ColorSpace', 'ExtGState', 'Font', 'Pattern', 'Properties', 'Shading', 'XObject'] as const;
export type Category = (typeof categories)[number];
/** `any` where it cannot be told. */
export type Use = Category | 'any';

/** More of them in one place are never sound. */
const mostNames = 50_000;

/** Names of resources, as they are spelled in contents. */
export class NamesUsed {
  private readonly names = new Map<Use, Set<string>>();
  private count = 0;

  /** Whether there are too many to go on. */
  get isFull(): boolean {
    return this.count > mostNames;
  }

  /** Returns whether it is a new one. */
  add(use: Use, name: string): boolean {
    let known = this.names.get(use);
    if (known === undefined) this.names.set(use, (known = new Set()));
    if (known.has(name)) return false;
    known.add(name);
    this.count += 1;
    return true;
  }

  *entries(): Generator<readonly [Use, string]> {
    for (const [use, names] of this.names) for (const name of names) yield [use, name];
  }
}
