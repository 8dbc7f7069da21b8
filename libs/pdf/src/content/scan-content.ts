import { endsToken, isDelimiter, isWhitespace } from '../syntax/characters.js';

/** What the operators of a content stream leave open at its end, and those that close what is not open. */
export interface ContentBalance {
  /** Graphics states saved by `q` and not restored. */
  readonly openStates: number;
  /** Marked-content sequences without `EMC`. */
  readonly openMarks: number;
  /** Whether a text object has no `ET`. */
  readonly isInText: boolean;
  /** Where each `Q` stands for which there is no `q`; viewers pass over it. */
  readonly surplus: readonly number[];
}

const [space, percent, open, close, slash, less, greater, backslash, linefeed, carriageReturn] = [
  0x20, 0x25, 0x28, 0x29, 0x2f, 0x3c, 0x3e, 0x5c, 0x0a, 0x0d,
];

/** How much after an `EI` must look like content for it to end an inline image, whose bytes may be any. */
const lookAheadBytes = 16;

/** Reads the operators of a content, each byte once, whatever they are. */
export function scanContent(bytes: Uint8Array): ContentBalance {
  const scanner = new ContentScanner(bytes);
  return scanner.scan();
}

class ContentScanner {
  private at = 0;
  private openStates = 0;
  private openMarks = 0;
  private isInText = false;
  private isInImage = false;
  private readonly surplus: number[] = [];

  constructor(private readonly bytes: Uint8Array) {}

  scan(): ContentBalance {
    while (this.at < this.bytes.length) this.passToken();
    const { openStates, openMarks, isInText, surplus } = this;
    return { openStates, openMarks, isInText, surplus };
  }

  private passToken(): void {
    const code = this.bytes[this.at] ?? 0;
    if (isWhitespace(code)) this.at += 1;
    else if (code === percent) this.passComment();
    else if (code === open) this.passString();
    else if (code === less) this.passHexStringOrBracket();
    else if (code === slash) this.passRegular(this.at + 1);
    else if (isDelimiter(code)) this.at += 1;
    else this.passOperator();
  }

  private passComment(): void {
    while (this.at < this.bytes.length && !isLineEnd(this.bytes[this.at])) this.at += 1;
  }

  private passString(): void {
    let depth = 0;
    do {
      const code = this.bytes[this.at];
      if (code === backslash) this.at += 1;
      else if (code === open) depth += 1;
      else if (code === close) depth -= 1;
      this.at += 1;
    } while (depth > 0 && this.at < this.bytes.length);
  }

  private passHexStringOrBracket(): void {
    if (this.bytes[this.at + 1] === less) this.at += 2;
    else this.passHexString();
  }

  private passHexString(): void {
    while (this.at < this.bytes.length && this.bytes[this.at] !== greater) this.at += 1;
  }

  private passRegular(from: number): void {
    this.at = from;
    while (!endsToken(this.bytes[this.at])) this.at += 1;
  }

  private passOperator(): void {
    const start = this.at;
    this.passRegular(start);
    if (this.at - start > 3) return;
    const operator = String.fromCharCode(...this.bytes.subarray(start, this.at));
    if (operator === 'ID' && this.isInImage) this.passImage();
    else this.count(operator, start);
  }

  private count(operator: string, start: number): void {
    if (operator === 'q') this.openStates += 1;
    else if (operator === 'Q') this.restore(start);
    else if (operator === 'BT') this.isInText = true;
    else if (operator === 'ET') this.isInText = false;
    else if (operator === 'BDC' || operator === 'BMC') this.openMarks += 1;
    else if (operator === 'EMC') this.openMarks = Math.max(0, this.openMarks - 1);
    else if (operator === 'BI') this.isInImage = true;
  }

  private restore(start: number): void {
    if (this.openStates === 0) this.surplus.push(start);
    else this.openStates -= 1;
  }

  private passImage(): void {
    this.isInImage = false;
    for (this.at += 1; this.at < this.bytes.length; this.at += 1) {
      if (!this.endsImage(this.at)) continue;
      this.at += 3;
      return;
    }
  }

  /** White space, `EI`, white space, and then what may be content. */
  private endsImage(at: number): boolean {
    const { bytes } = this;
    if (!isWhitespace(bytes[at]) || bytes[at + 1] !== 0x45 || bytes[at + 2] !== 0x49) return false;
    const rest = bytes.subarray(at + 3, at + 3 + lookAheadBytes);
    return (rest.length === 0 || isWhitespace(rest[0])) && rest.every(isText);
  }
}

function isLineEnd(code: number | undefined): boolean {
  return code === linefeed || code === carriageReturn;
}

function isText(code: number): boolean {
  return isWhitespace(code) ? code !== 0 : code >= space && code < 0x7f;
}
