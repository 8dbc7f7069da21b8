import type { PDFDict } from 'pdf-lib';
import { PDFNumber } from 'pdf-lib';
import type { Box, Matrix } from '../../content/matrix.js';
import { arrayAt } from '../../document/read-entry.js';

/** What lies beyond it is not seen on any page. */
const farthest = 1e9;
const identity: Matrix = [1, 0, 0, 1, 0, 0];

/**
 * What fits an appearance into the rectangle of its annotation (ISO 32000-1, 12.5.5, algorithm 8.1). `null` if one of them has no surface, or nothing
 * would be seen of it.
 *
 * @param appearance the dictionary of the form XObject, whose own matrix applies besides
 */
export function placeAppearance(appearance: PDFDict, rectangle: Box): Matrix | null {
  const bounds = boxAt(appearance, 'BBox');
  const box = bounds === null ? null : boxOf(transformed(cornersOf(bounds), matrixOf(appearance)));
  if (box === null || !hasSurface(box) || !hasSurface(rectangle)) return null;
  const [a, d] = [rectangle.width / box.width, rectangle.height / box.height];
  const matrix: Matrix = [a, 0, 0, d, rectangle.x - a * box.x, rectangle.y - d * box.y];
  return matrix.every((number) => Math.abs(number) < farthest) ? matrix : null;
}

/** A rectangle of a dictionary, whichever of its corners it names; `null` for anything else. */
export function boxAt(dict: PDFDict, key: string): Box | null {
  const [x1, y1, x2, y2] = numbersAt(dict, key, 4) ?? [];
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return null;
  return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
}

/** The smallest box around all of these. */
export function boxAround(boxes: readonly Box[]): Box {
  return boxOf(boxes.flatMap(cornersOf));
}

type Point = readonly [number, number];

function cornersOf({ x, y, width, height }: Box): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ];
}

function transformed(points: readonly Point[], [a, b, c, d, e, f]: Matrix): Point[] {
  return points.map(([x, y]) => [a * x + c * y + e, b * x + d * y + f]);
}

function boxOf(points: readonly Point[]): Box {
  const [left, bottom, right, top] = points.reduce(
    ([x1, y1, x2, y2], [x, y]) => [Math.min(x1, x), Math.min(y1, y), Math.max(x2, x), Math.max(y2, y)],
    [Infinity, Infinity, -Infinity, -Infinity] as const,
  );
  return { x: left, y: bottom, width: right - left, height: top - bottom };
}

function matrixOf(appearance: PDFDict): Matrix {
  const [a, b, c, d, e, f] = numbersAt(appearance, 'Matrix', 6) ?? identity;
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0];
}

function hasSurface({ width, height }: Box): boolean {
  return width > 0 && height > 0;
}

function numbersAt(dict: PDFDict, key: string, count: number): number[] | null {
  const array = arrayAt(dict, key);
  if (array === undefined || array.size() < count) return null;
  const values = Array.from({ length: count }, (_, at) => array.lookup(at));
  const numbers = values.filter((value) => value instanceof PDFNumber).map((value) => value.asNumber());
  return numbers.length === count ? numbers : null;
}
