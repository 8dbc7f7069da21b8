const mostRemembered = 10_000;

/**
 * Names of the keys that this process decided last. A request with one of them is most likely a repetition, so it looks before it tries to write.
 * Nothing depends on it but speed.
 */
export class RecentKeys {
  private readonly names = new Set<string>();

  has(name: string): boolean {
    return this.names.has(name);
  }

  /** Remembers a name as the latest; the one that was not named for the longest time goes. */
  add(name: string): void {
    this.names.delete(name);
    this.names.add(name);
    if (this.names.size <= mostRemembered) return;
    for (const oldest of this.names) {
      this.names.delete(oldest);
      return;
    }
  }
}
