import { endsToken, isDelimiter, skipWhitespace } from '../syntax/characters.js';

/**
 * `word` is an operator or a keyword, `punctuation` a bracket, a string or what else stands between them.
 * After `broken`, which is a bracket that closes no string, or a string without an end and all behind it, nothing is sure.
 */
export type TokenKind = 'name' | 'word' | 'number' | 'punctuation' | 'end' | 'broken';

const [open, close, backslash, slash, percent, less, greater, lineFeed, carriageReturn] = Buffer.from('()\\/%<>\n\r');
const numberCharacters = new Set(Buffer.from('0123456789+-.'));

/** Reads a content stream token by token. Strings and comments are passed over. */
export class ContentLexer {
  /** Where the token that was read last begins and ends. */
  start = 0;
  end = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** The token as it stands there; without the slash for a name. */
  text(): string {
    const from = this.bytes[this.start] === slash ? this.start + 1 : this.start;
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + from, this.end - from).toString('latin1');
  }

  next(): TokenKind {
    const { bytes } = this;
    const at = skipWhitespace(bytes, this.end);
    this.start = at;
    this.end = at;
    if (at >= bytes.length) return 'end';
    return isDelimiter(bytes[at]) ? this.readDelimited(at) : this.readWord(at);
  }

  private readDelimited(at: number): TokenKind {
    const { bytes } = this;
    const byte = bytes[at];
    if (byte === slash) {
      this.end = this.endOfRegular(at + 1);
      return 'name';
    }
    if (byte === close) {
      this.end = at + 1;
      return 'broken';
    }
    if (byte === open) return this.endAt(this.endOfString(at));
    if (byte === percent) return this.endAt(this.endOfLine(at));
    if (byte !== less) return this.endAt(at + 1);
    return this.endAt(bytes[at + 1] === less ? at + 2 : bytes.indexOf(greater ?? 0, at) + 1);
  }

  private readWord(at: number): TokenKind {
    this.end = this.endOfRegular(at);
    for (let index = at; index < this.end; index += 1) {
      if (!numberCharacters.has(this.bytes[index] ?? 0)) return 'word';
    }
    return 'number';
  }

  private endAt(end: number): TokenKind {
    this.end = end === 0 ? this.bytes.length : end;
    return end === 0 ? 'broken' : 'punctuation';
  }

  private endOfRegular(from: number): number {
    let at = from;
    while (!endsToken(this.bytes[at])) at += 1;
    return at;
  }

  private endOfLine(from: number): number {
    let at = from;
    while (at < this.bytes.length && this.bytes[at] !== lineFeed && this.bytes[at] !== carriageReturn) at += 1;
    return at;
  }

  /** 0 if the string has no end, as of what follows. */
  private endOfString(from: number): number {
    let depth = 0;
    for (let at = from; at < this.bytes.length; at += 1) {
      const byte = this.bytes[at];
      if (byte === backslash) at += 1;
      else if (byte === open) depth += 1;
      else if (byte === close) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    return 0;
  }
}
