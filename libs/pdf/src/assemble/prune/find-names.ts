import { ContentLexer } from '../../content/content-lexer.js';
import { skipInlineImage } from '../../content/skip-inline-image.js';
import { type Category, NamesUsed } from './names-used.js';

/** Which resources the names before an operator are of (ISO 32000-1, annex A); `null`: of none. */
const categoryOf: ReadonlyMap<string, Category | null> = new Map<string, Category | null>([
  ['Do', 'XObject'],
  ['Tf', 'Font'],
  ['gs', 'ExtGState'],
  ['cs', 'ColorSpace'],
  ['CS', 'ColorSpace'],
  ['scn', 'Pattern'],
  ['SCN', 'Pattern'],
  ['sh', 'Shading'],
  ['BDC', 'Properties'],
  ['DP', 'Properties'],
  ['BMC', null],
  ['MP', null],
  ['ri', null],
]);
/** Sound operators have 33 at most. */
const mostOperands = 1_000;
/** As writers spell names of resources. */
const nameInData = /\/([\w.#+-]+)/g;
const constants = new Set(['true', 'false', 'null']);

/**
 * The resources that a content stream names. What is not clear counts as a name of everything: before an operator that does not exist (`12Tf`), before the
 * end, or in the data of an inline image, whose end is a guess. `null` if the stream breaks off within a string or an inline image, or is no content.
 */
export function findNames(bytes: Uint8Array): NamesUsed | null {
  const lexer = new ContentLexer(bytes);
  const used = new NamesUsed();
  let operands: string[] = [];
  for (let kind = lexer.next(); kind !== 'end'; kind = lexer.next()) {
    if (kind === 'name') operands.push(lexer.text());
    if (kind === 'broken' || operands.length > mostOperands) return null;
    const operator = kind === 'word' ? readOperator(lexer, operands.length > 0) : null;
    if (operator === null) continue;
    count(operator, operands, used);
    operands = [];
    if (operator === 'BI' && !countInlineImage(lexer, used)) return null;
    if (used.isFull) return null;
  }
  count('', operands, used);
  return used;
}

/** The word that was read last, if it is an operator that matters. */
function readOperator(lexer: ContentLexer, hasNames: boolean): string | null {
  const mayBeImage = lexer.end - lexer.start === 2;
  if (!hasNames && !mayBeImage) return null;
  const word = lexer.text();
  return constants.has(word) ? null : word;
}

function count(operator: string, names: readonly string[], used: NamesUsed): void {
  const category = categoryOf.get(operator);
  if (category === null) return;
  for (const name of names) used.add(category ?? 'any', name);
}

function countInlineImage(lexer: ContentLexer, used: NamesUsed): boolean {
  const image = skipInlineImage(lexer);
  if (image === null || !image.isSound) return false;
  for (const name of image.names) used.add('ColorSpace', name);
  const data = Buffer.from(lexer.bytes.subarray(...image.data)).toString('latin1');
  for (const [, name = ''] of data.matchAll(nameInData)) used.add('any', name);
  return true;
}
