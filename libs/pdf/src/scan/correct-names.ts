import { PDFName, PDFObjectParser } from 'pdf-lib';
import { endsToken } from '../syntax/characters.js';

/** What a parser of the library reads from. */
interface Reader {
  readonly bytes: { done(): boolean; peek(): number; next(): number };
}

const escapes = /#[\da-f]{2}/gi;

/** The library knows escapes in capitals only: it would take the `#2f` of a name for three characters and write it as `#232f`. */
function parseName(this: Reader): PDFName {
  let name = '';
  this.bytes.next();
  while (!this.bytes.done() && !endsToken(this.bytes.peek())) name += String.fromCharCode(this.bytes.next());
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
