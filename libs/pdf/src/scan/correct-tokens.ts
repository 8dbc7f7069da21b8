import { PDFName, PDFNumber, PDFObjectParser, type PDFRef } from 'pdf-lib';
import { endsToken } from '../syntax/characters.js';

/** What a parser of the library reads from. */
interface Reader {
  readonly bytes: { done(): boolean; peek(): number; next(): number };
}

const escapes = /#[\da-f]{2}/gi;
/** No name has it (ISO 32000-1, 7.3.5), and some readers give up at it. */
const nullEscape = /#00/g;

/** The library knows escapes in capitals only: it would take the `#2f` of a name for three characters and write it as `#232f`. */
function parseName(this: Reader): PDFName {
  let name = '';
  this.bytes.next();
  while (!this.bytes.done() && !endsToken(this.bytes.peek())) name += String.fromCharCode(this.bytes.next());
  return PDFName.of(
    name.includes('#') ? name.replaceAll(nullEscape, '').replaceAll(escapes, (escape) => escape.toUpperCase()) : name,
  );
}

type ReadNumberOrRef = (this: unknown) => PDFNumber | PDFRef;

const parseNumberOrRef = Reflect.get(PDFObjectParser.prototype, 'parseNumberOrRef') as ReadNumberOrRef;

/** The library writes a number that is too large for readers with all its digits, which then spoils the object that it stands in. */
function parseBoundedNumber(this: unknown): PDFNumber | PDFRef {
  const value = parseNumberOrRef.call(this);
  if (!(value instanceof PDFNumber) || Math.abs(value.asNumber()) <= Number.MAX_SAFE_INTEGER) return value;
  return PDFNumber.of(Math.sign(value.asNumber()) * Number.MAX_SAFE_INTEGER);
}

/** Corrects the reading of names and numbers in every parser of the library, that of object streams among them. */
export function correctTokens(): void {
  for (const [name, value] of Object.entries({ parseName, parseNumberOrRef: parseBoundedNumber }))
    Object.defineProperty(PDFObjectParser.prototype, name, { value, configurable: true, writable: true });
}
