/** Numbers from 0 to 1, 1 excluded; the same for the same seed (mulberry32). */
export type Random = () => number;

/** A way to damage a file, given as text of which each character is a byte. */
type Mutation = (file: string, random: Random) => string;

const longestInsertBytes = 40;
const mostMutations = 3;
/** Numbers that readers have stumbled over. */
const oddNumbers = [
  '0',
  '-1',
  '1',
  '65536',
  '2147483647',
  '4294967296',
  '99999999999999999999',
  '1e9',
  '.',
  '0.0000001',
];
const oddWords = [
  'null',
  '[',
  ']',
  '<<',
  '>>',
  '(',
  'stream',
  'endstream',
  'endobj',
  '1 0 R',
  '/Kids',
  '<',
  'true',
  '%',
];

const mutations: readonly Mutation[] = [
  flipBytes,
  cut,
  removePart,
  insertBytes,
  insertWord,
  swapNumbers,
  replaceNumber,
  redirectReference,
  removeObject,
  repeatObject,
  repeatCrossReference,
];

/** A random number for each call, always the same after the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Damages a document in up to three ways. */
export function mutatePdf(bytes: Uint8Array, random: Random): Uint8Array {
  let file = Buffer.from(bytes).toString('latin1');
  const count = 1 + below(mostMutations, random);
  for (let index = 0; index < count; index += 1) file = oneOf(mutations, random)?.(file, random) ?? file;
  return Buffer.from(file, 'latin1');
}

function flipBytes(file: string, random: Random): string {
  const count = 1 + below(8, random);
  let flipped = file;
  for (let index = 0; index < count; index += 1) {
    const at = below(file.length, random);
    flipped = replaced(flipped, at, at + 1, String.fromCharCode(below(256, random)));
  }
  return flipped;
}

function cut(file: string, random: Random): string {
  return file.slice(0, below(file.length, random));
}

function removePart(file: string, random: Random): string {
  const at = below(file.length, random);
  return replaced(file, at, at + below(200, random), '');
}

function insertBytes(file: string, random: Random): string {
  const inserted = Array.from({ length: below(longestInsertBytes, random) }, () => below(256, random));
  const at = below(file.length, random);
  return replaced(file, at, at, String.fromCharCode(...inserted));
}

function insertWord(file: string, random: Random): string {
  const at = below(file.length, random);
  return replaced(file, at, at, ` ${oneOf(oddWords, random) ?? ''} `);
}

function swapNumbers(file: string, random: Random): string {
  const numbers = [...file.matchAll(/\b\d+\b/g)];
  const [one, other] = [oneOf(numbers, random), oneOf(numbers, random)].sort(
    (a, b) => (a?.index ?? 0) - (b?.index ?? 0),
  );
  if (one === undefined || other === undefined || one.index === other.index) return file;
  const swapped = replaced(file, other.index, other.index + other[0].length, one[0]);
  return replaced(swapped, one.index, one.index + one[0].length, other[0]);
}

function replaceNumber(file: string, random: Random): string {
  const number = oneOf([...file.matchAll(/\b\d+\b/g)], random);
  if (number === undefined) return file;
  return replaced(file, number.index, number.index + number[0].length, oneOf(oddNumbers, random) ?? '');
}

function redirectReference(file: string, random: Random): string {
  const reference = oneOf([...file.matchAll(/\b(\d+) 0 R\b/g)], random);
  if (reference === undefined) return file;
  return replaced(file, reference.index, reference.index + reference[0].length, `${below(30, random)} 0 R`);
}

function removeObject(file: string, random: Random): string {
  const object = oneOf([...file.matchAll(/\b\d+ 0 obj\b[^]*?\bendobj\b/g)], random);
  return object === undefined ? file : replaced(file, object.index, object.index + object[0].length, '');
}

function repeatObject(file: string, random: Random): string {
  const objects = [...file.matchAll(/\b\d+ 0 obj\b[^]*?\bendobj\b/g)];
  const [from, to] = [oneOf(objects, random), oneOf(objects, random)];
  return from === undefined || to === undefined ? file : replaced(file, to.index, to.index, `${from[0]}\n`);
}

function repeatCrossReference(file: string, random: Random): string {
  const from = Math.max(0, file.lastIndexOf('xref\n0 '));
  const part = file.slice(from);
  return random() < 0.5 ? file + part : replaced(file, from, from, part.slice(0, below(part.length, random)));
}

function replaced(text: string, from: number, to: number, by: string): string {
  return text.slice(0, from) + by + text.slice(to);
}

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

function oneOf<T>(values: readonly T[], random: Random): T | undefined {
  return values[below(values.length, random)];
}
