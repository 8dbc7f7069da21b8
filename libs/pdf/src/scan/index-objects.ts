import { isWhitespace } from '../syntax/characters.js';

/** Where the objects of a file start, by `<object number> <generation>`; of several with one number the last. */
export type ObjectIndex = ReadonlyMap<string, number>;

const header = /(?<![\d.+-])(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+$/;
const longestHeaderBytes = 40;

/** Finds the objects of a file by what their starts look like, without trust in its cross-references. */
export function indexObjects(bytes: Buffer): ObjectIndex {
  const index = new Map<string, number>();
  for (let at = bytes.indexOf('obj'); at !== -1; at = bytes.indexOf('obj', at + 3)) {
    if (!isWhitespace(bytes[at - 1])) continue;
    const from = Math.max(0, at - longestHeaderBytes);
    const match = header.exec(bytes.toString('latin1', from, at));
    if (match !== null) index.set(`${Number(match[1])} ${Number(match[2])}`, from + match.index);
  }
  return index;
}
