import type { PDFDict, PDFObject } from 'pdf-lib';
import { PDFName } from 'pdf-lib';
import type { Matrix } from './matrix.js';
import { readNumbers } from './read-numbers.js';

/** A rectangle with sides along the axes. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** No viewer counts beyond it, and nothing there is seen on any page. */
export const farthest = 1e9;

type Point = readonly [number, number];

/** A rectangle as far as viewers count, whichever of its corners it names; `null` for anything else. */
export function readBox(value: PDFObject | undefined): Box | null {
  const [x1, y1, x2, y2] = (readNumbers(value, 4) ?? []).map(withinReach);
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return null;
  return { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
}

/** The rectangle that an entry of a dictionary is, or refers to. */
export function boxAt(dict: PDFDict, key: string): Box | null {
  return readBox(dict.lookup(PDFName.of(key)));
}

/** The smallest box around all of these. */
export function boxAround(boxes: readonly Box[]): Box {
  return boxOfPoints(boxes.flatMap(cornersOf));
}

/** The smallest box around what a matrix makes of this one. */
export function transformBox(box: Box, [a, b, c, d, e, f]: Matrix): Box {
  return boxOfPoints(cornersOf(box).map(([x, y]) => [a * x + c * y + e, b * x + d * y + f]));
}

function withinReach(value: number): number {
  return Math.max(-farthest, Math.min(farthest, value));
}

function cornersOf({ x, y, width, height }: Box): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ];
}

function boxOfPoints(points: readonly Point[]): Box {
  const [left, bottom, right, top] = points.reduce(
    ([x1, y1, x2, y2], [x, y]) => [Math.min(x1, x), Math.min(y1, y), Math.max(x2, x), Math.max(y2, y)],
    [Infinity, Infinity, -Infinity, -Infinity] as const,
  );
  return { x: left, y: bottom, width: right - left, height: top - bottom };
}
