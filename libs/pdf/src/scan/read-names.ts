import { PDFName, PDFObjectParser } from 'pdf-lib';

/** What a parser of the library reads from. */
interface Reader {
  readonly bytes: { done(): boolean; peek(): number; next(): number };
}

/** White space and delimiters (ISO 32000-1, tables 1 and 2) end a name. */
const ends = new Set([...'\0\t\n\f\r ()<>[]{}/%'].map((character) => character.charCodeAt(0)));
const escapes = /#[\da-f]{2}/gi;

/** The library knows escapes in capitals only: it would take the `#2f` of a name for three characters and write it as `#232f`. */
function parseName(this: Reader): PDFName {
  let name = '';
  this.bytes.next();
  while (!this.bytes.done() && !ends.has(this.bytes.peek())) name += String.fromCharCode(this.bytes.next());
  return PDFName.of(name.includes('#') ? name.replaceAll(escapes, (escape) => escape.toUpperCase()) : name);
}

/** Corrects the reading of names in every parser of the library, that of object streams among them. */
export function correctNames(): void {
  Object.defineProperty(PDFObjectParser.prototype, 'parseName', {
    value: parseName,
    configurable: true,
    writable: true,
  });
}
