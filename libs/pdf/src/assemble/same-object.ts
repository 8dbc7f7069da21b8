import type { PDFContext, PDFObject } from 'pdf-lib';
import { PDFArray, PDFDict, PDFNull, PDFRawStream, PDFStream } from 'pdf-lib';

/** An object with the document that it, and what it refers to, belongs to. */
export interface HeldObject {
  readonly object: PDFObject;
  readonly context: PDFContext;
}

/** Pairs of objects to look at; fonts and the like stay far below it. */
const mostPairs = 20_000;

type Pair = readonly [PDFObject | undefined, PDFObject | undefined];

/** Whether two objects say the same with all that they refer to. Those too large to tell within bounds count as different. */
export function isSameObject(one: HeldObject, other: HeldObject): boolean {
  const waiting: Pair[] = [[one.object, other.object]];
  const equals = new Map<PDFObject, PDFObject>();
  let pairs = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    pairs += 1;
    const left = one.context.lookup(next[0]) ?? PDFNull;
    const right = other.context.lookup(next[1]) ?? PDFNull;
    if (left === right || equals.get(left) === right) continue;
    const inner = pairs > mostPairs ? null : innerPairs(left, right);
    if (inner === null) return false;
    equals.set(left, right);
    for (const pair of inner) waiting.push(pair);
  }
  return true;
}

/** What must be the same for two objects to be; `null` if they differ. */
function innerPairs(left: PDFObject, right: PDFObject): Pair[] | null {
  if (left.constructor !== right.constructor) return null;
  if (left instanceof PDFDict) return dictPairs(left, right as PDFDict);
  if (left instanceof PDFArray) return arrayPairs(left, right as PDFArray);
  if (left instanceof PDFRawStream) return streamPairs(left, right as PDFRawStream);
  return !(left instanceof PDFStream) && left.toString() === right.toString() ? [] : null;
}

function dictPairs(left: PDFDict, right: PDFDict): Pair[] | null {
  const keys = left.keys();
  if (keys.length !== right.keys().length || !keys.every((key) => right.has(key))) return null;
  return keys.map((key) => [left.get(key), right.get(key)] as const);
}

function arrayPairs(left: PDFArray, right: PDFArray): Pair[] | null {
  if (left.size() !== right.size()) return null;
  return left.asArray().map((item, at) => [item, right.get(at)] as const);
}

function streamPairs(left: PDFRawStream, right: PDFRawStream): Pair[] | null {
  return Buffer.compare(left.contents, right.contents) === 0 ? [[left.dict, right.dict]] : null;
}
