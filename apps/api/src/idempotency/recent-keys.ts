const places = 16_384;

/**
 * The keys that this process decided last, each as a mark in the place of its name. A request with one of them is most likely a repetition, so it
 * looks before it tries to write. Nothing depends on it but speed: a mark goes when another takes its place.
 */
export class RecentKeys {
  private readonly marks = new Uint32Array(places);

  has(name: string): boolean {
    const mark = markOf(name);
    return this.marks[mark % places] === mark;
  }

  /** Remembers a name as the latest of its place. */
  add(name: string): void {
    const mark = markOf(name);
    this.marks[mark % places] = mark;
  }
}

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/** The 32-bit FNV-1a hash of the UTF-16 code units (Fowler, Noll, Vo). */
function markOf(name: string): number {
  let hash = offsetBasis;
  for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), prime);
  return hash >>> 0;
}
