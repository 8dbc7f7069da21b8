/** `[a b c d e f]` as PDF writes it: x' = ax + cy + e, y' = bx + dy + f (ISO 32000-1, 8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number];

/** The matrix that moves nothing. */
export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** The matrix that does `first`, then `second`. */
export function concat(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [g, h, i, j, k, l] = second;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}

/** The matrix that undoes this one, which must not be flat. */
export function invert([a, b, c, d, e, f]: Matrix): Matrix {
  const determinant = a * d - b * c;
  const [ia, ib, ic, id] = [d / determinant, -b / determinant, -c / determinant, a / determinant];
  return [ia, ib, ic, id, -(e * ia + f * ic), -(e * ib + f * id)];
}

/** Throws for a number that PDF has no way to write, which comes of a document or font that is not sound. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) > largestNumber) throw new RangeError(`${value} cannot be written.`);
  const rounded = Number(value.toFixed(6));
  return rounded === 0 ? '0' : String(rounded);
}

export function formatNumbers(values: readonly number[]): string {
  return values.map(formatNumber).join(' ');
}

const largestNumber = 1e15;
