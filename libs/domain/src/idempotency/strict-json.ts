/** A JSON text that is not what it seems: RFC 8259 lets parsers differ on these, so an idempotent service refuses them. */
export class StrictJsonError extends Error {
  override readonly name = 'StrictJsonError';

  /** @param pointer JSON pointer (RFC 6901) of the value at fault, `''` for the whole text */
  constructor(
    message: string,
    readonly pointer: string,
  ) {
    super(message);
  }
}

/**
 * Parses JSON as I-JSON (RFC 7493): no duplicate names, no integers beyond 2^53, no U+0000 and no lone
 * surrogates; nor `__proto__` as a name, nor more than 100 levels or 200,000 values.
 *
 * @throws StrictJsonError naming the place
 */
export function parseStrictJson(text: string): unknown {
  if (text.startsWith('\uFEFF'))
    throw new StrictJsonError('the text is not JSON: it begins with a byte order mark', '');
  checkExtent(text);
  const value = parse(text);
  checkStrings(value, '');
  new TokenScan(text).run();
  return value;
}

/** Deeper than any request needs, and far from the end of the stack. */
const deepest = 100;
/** Twice what the largest batch needs; a parser's time grows with the values of a text rather than with its length. */
const mostValues = 200_000;

function checkExtent(text: string): void {
  let depth = 0;
  let values = 0;
  for (const [lexeme] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]/g)) {
    if (lexeme === '[' || lexeme === '{') depth += 1;
    else if (lexeme === ']' || lexeme === '}') depth -= 1;
    else if (lexeme === ',') values += 1;
    if (depth > deepest) throw new StrictJsonError(`the text is nested deeper than ${deepest} levels`, '');
    if (values > mostValues) throw new StrictJsonError(`the text has more than ${mostValues} values`, '');
  }
}

/** What V8 shows of the text at the fault; that may be a password. */
const excerpt = /, (?:\.{3})?"[^]*"(?:\.{3})? is not valid JSON$/;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StrictJsonError(`the text is not JSON: ${message.replace(excerpt, '')}`, '');
  }
}

function checkStrings(value: unknown, pointer: string): void {
  if (typeof value === 'string') return checkString(value, pointer);
  if (Array.isArray(value)) return value.forEach((item, index) => checkStrings(item, `${pointer}/${index}`));
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    checkString(name, pointer);
    checkStrings(item, `${pointer}/${escapePointer(name)}`);
  }
}

function checkString(value: string, pointer: string): void {
  if (value.includes('\u0000')) throw new StrictJsonError('the text contains U+0000', pointer);
  if (!value.isWellFormed()) throw new StrictJsonError('the text contains a lone surrogate', pointer);
}

/** Escapes one reference token of a JSON pointer (RFC 6901, section 3). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\],:]/g;

interface Frame {
  readonly names: Set<string> | null;
  place: string | number;
}

/** Walks the tokens of a text that is known to be JSON and looks for what `JSON.parse` forgives. */
class TokenScan {
  private readonly frames: Frame[] = [];
  private expectsName = false;

  constructor(private readonly text: string) {}

  run(): void {
    for (const [lexeme] of this.text.matchAll(token)) this.take(lexeme);
  }

  private take(lexeme: string): void {
    const top = this.frames.at(-1);
    if (lexeme === '{' || lexeme === '[') this.open(lexeme);
    else if (lexeme === '}' || lexeme === ']') this.close();
    else if (lexeme === ',') this.next(top);
    else if (lexeme.startsWith('"')) this.name(lexeme, top);
    else if (lexeme !== ':') this.number(lexeme);
  }

  private open(lexeme: string): void {
    this.frames.push(lexeme === '{' ? { names: new Set(), place: '' } : { names: null, place: 0 });
    this.expectsName = lexeme === '{';
  }

  private close(): void {
    this.frames.pop();
    this.expectsName = false;
  }

  private next(top: Frame | undefined): void {
    if (top === undefined) return;
    this.expectsName = top.names !== null;
    if (typeof top.place === 'number') top.place += 1;
  }

  private name(lexeme: string, top: Frame | undefined): void {
    if (!this.expectsName || top === undefined || top.names === null) return;
    const name = JSON.parse(lexeme) as string;
    top.place = name;
    if (top.names.has(name)) throw new StrictJsonError(`the name ${lexeme} occurs twice`, this.pointer());
    if (name === '__proto__') throw new StrictJsonError('the name "__proto__" is not taken', this.pointer());
    top.names.add(name);
    this.expectsName = false;
  }

  private number(lexeme: string): void {
    const value = Number(lexeme);
    if (!Number.isFinite(value)) throw new StrictJsonError(`the number ${lexeme} is out of range`, this.pointer());
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw new StrictJsonError(`the integer ${lexeme} is beyond 2^53 - 1; send it as a string`, this.pointer());
    }
  }

  private pointer(): string {
    return this.frames.map((frame) => `/${escapePointer(String(frame.place))}`).join('');
  }
}
