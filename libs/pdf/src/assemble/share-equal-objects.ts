import { createHash } from 'node:crypto';
import type { PDFContext, PDFObject, PDFRef } from 'pdf-lib';
import { PDFArray, PDFDict, PDFName, PDFNumber, PDFRawStream } from 'pdf-lib';
import { nameAt } from '../document/objects/read-entry.js';
import { referencesIn, replaceReferences } from '../document/objects/references.js';

/** Chains of equal objects, such as an image with a mask with a colour space, are shorter. */
const mostRounds = 10;

const shareableTypes = ['Font', 'FontDescriptor', 'Encoding', 'ExtGState', 'Pattern'];
/** The families of colour spaces that have parameters (ISO 32000-1, 8.6.3). */
const colourSpaces = ['ICCBased', 'CalRGB', 'CalGray', 'Lab', 'Indexed', 'Separation', 'DeviceN', 'Pattern'];

type Indirect = readonly [PDFRef, PDFObject];

/**
 * Stores equal streams once, and equal fonts, colour spaces and the like with them: what two documents share, such as a logo, then takes its
 * place once. Objects of which it matters which one they are (pages, annotations, fields, layers, structure) are never shared.
 */
export function shareEqualObjects(context: PDFContext): void {
  const shareable = context.enumerateIndirectObjects().filter(([, object]) => isShareable(object));
  const users = usersOf(shareable);
  const firsts = new Map<string, PDFRef>();
  const replaced = new Map<PDFRef, PDFRef>();
  let candidates: readonly Indirect[] = shareable;
  for (let round = 0; round < mostRounds && candidates.length > 0; round += 1) {
    const found = repeatsAmong(candidates, firsts);
    for (const [ref, first] of found) replaced.set(ref, first);
    const affected = new Map([...found.keys()].flatMap((ref) => users.get(ref) ?? []));
    candidates = [...affected].filter(([ref]) => !replaced.has(ref));
    for (const [, object] of candidates) replaceReferences(object, found);
  }
  replaceEverywhere(context, replaced);
}

/** The objects that equal an earlier one, each with it. */
function repeatsAmong(objects: readonly Indirect[], firsts: Map<string, PDFRef>): Map<PDFRef, PDFRef> {
  const repeats = new Map<PDFRef, PDFRef>();
  for (const [ref, object] of objects) {
    const content = contentOf(object);
    const first = firsts.get(content);
    if (first === undefined) firsts.set(content, ref);
    else if (first !== ref) repeats.set(ref, first);
  }
  return repeats;
}

/** Equal for equal objects only; references count by what they lead to being the same object. */
function contentOf(object: PDFObject): string {
  if (!(object instanceof PDFRawStream)) return object.toString();
  return `${createHash('sha256').update(object.contents).digest('base64')} ${object.dict.toString()}`;
}

function usersOf(objects: readonly Indirect[]): Map<PDFRef, Indirect[]> {
  const users = new Map<PDFRef, Indirect[]>();
  for (const user of objects) {
    for (const ref of referencesIn(user[1])) {
      const known = users.get(ref);
      if (known === undefined) users.set(ref, [user]);
      else known.push(user);
    }
  }
  return users;
}

function replaceEverywhere(context: PDFContext, replaced: ReadonlyMap<PDFRef, PDFRef>): void {
  if (replaced.size === 0) return;
  const last = new Map([...replaced.keys()].map((ref) => [ref, lastOf(ref, replaced)]));
  for (const ref of last.keys()) context.delete(ref);
  for (const [, object] of context.enumerateIndirectObjects()) replaceReferences(object, last);
}

function lastOf(ref: PDFRef, replaced: ReadonlyMap<PDFRef, PDFRef>): PDFRef {
  const seen = new Set<PDFRef>();
  for (let next: PDFRef | undefined = ref; next !== undefined && !seen.has(next); next = replaced.get(next)) {
    seen.add(next);
    ref = next;
  }
  return ref;
}

function isShareable(object: PDFObject): boolean {
  if (object instanceof PDFRawStream) return true;
  if (object instanceof PDFDict)
    return shareableTypes.includes(nameAt(object, 'Type') ?? '') || object.has(PDFName.of('FunctionType'));
  return object instanceof PDFArray && (isColourSpace(object) || object.asArray().every(isNumber));
}

function isColourSpace(array: PDFArray): boolean {
  const [family] = array.asArray();
  return family instanceof PDFName && colourSpaces.includes(family.decodeText());
}

function isNumber(object: PDFObject): boolean {
  return object instanceof PDFNumber;
}
