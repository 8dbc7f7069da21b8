/** Gives names that nothing has yet. */
export class UnusedNames {
  private readonly taken = new Set<string>();
  private readonly nextNumbers = new Map<string, number>();

  /** The name itself where it is free, else the first that is of `name_2`, `name_3` and so on; whatever is given is taken from then on. */
  take(name: string): string {
    let given = name;
    let number = this.nextNumbers.get(name) ?? 2;
    for (; this.taken.has(given); number += 1) given = `${name}_${number}`;
    this.nextNumbers.set(name, number);
    this.taken.add(given);
    return given;
  }
}
