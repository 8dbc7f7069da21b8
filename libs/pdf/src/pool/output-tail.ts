/** The last bytes of what a child process writes, and how many there were. */
export class OutputTail {
  private tail = '';
  private length = 0;

  constructor(private readonly keptCharacters: number) {}

  add(chunk: string): void {
    this.length += chunk.length;
    this.tail = (this.tail + chunk).slice(-this.keptCharacters);
  }

  /** The end of what has come since the last taking. */
  peek(): string {
    return this.tail;
  }

  /** What has come since the last taking; `null` if nothing has. */
  take(): { text: string; characters: number } | null {
    if (this.length === 0) return null;
    const taken = { text: this.tail, characters: this.length };
    this.tail = '';
    this.length = 0;
    return taken;
  }
}
