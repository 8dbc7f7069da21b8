/**
 * Counts the parts of a multipart body by its delimiters (RFC 2046, section 5.1.1) while it passes. The parser leaves out a part that it
 * cannot name, and what follows the closing delimiter, without a word; a document would be missing from the result.
 */
export class PartCount {
  private readonly delimiter: Buffer;
  private delimiters = 0;
  /** The end of what has passed, which may be the beginning of a delimiter; the body's first one needs no line break before it. */
  private rest = Buffer.from('\r\n');

  /** @param boundary as in the Content-Type, without quotes */
  constructor(boundary: string) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** Looks at the next bytes. */
  take(chunk: Buffer): void {
    const bytes = Buffer.concat([this.rest, chunk]);
    let end = 0;
    for (let at = bytes.indexOf(this.delimiter); at !== -1; at = bytes.indexOf(this.delimiter, end)) {
      this.delimiters += 1;
      end = at + this.delimiter.length;
    }
    this.rest = bytes.subarray(Math.max(end, bytes.length - this.delimiter.length + 1));
  }

  /** How many parts there were; the last delimiter closes the last of them. */
  get parts(): number {
    return Math.max(0, this.delimiters - 1);
  }
}

/** The boundary of a multipart Content-Type, `''` when it has none. */
export function boundaryOf(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? [];
  return quoted ?? bare ?? '';
}
