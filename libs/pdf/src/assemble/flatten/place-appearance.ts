import type { PDFDict } from 'pdf-lib';
import type { Box } from '../../content/box.js';
import { boxAt, farthest, transformBox } from '../../content/box.js';
import type { Matrix } from '../../content/matrix.js';
import { identity } from '../../content/matrix.js';
import { readNumbers } from '../../content/read-numbers.js';
import { arrayAt } from '../../document/objects/read-entry.js';

/**
 * What fits an appearance into the rectangle of its annotation (ISO 32000-1, 12.5.5, algorithm 8.1). `null` if one of them has no surface, or nothing
 * would be seen of it.
 *
 * @param appearance the dictionary of the form XObject, whose own matrix applies besides
 */
export function placeAppearance(appearance: PDFDict, rectangle: Box): Matrix | null {
  const bounds = boxAt(appearance, 'BBox');
  const box = bounds === null ? null : transformBox(bounds, matrixOf(appearance));
  if (box === null || !hasSurface(box) || !hasSurface(rectangle)) return null;
  const [a, d] = [rectangle.width / box.width, rectangle.height / box.height];
  const matrix: Matrix = [a, 0, 0, d, rectangle.x - a * box.x, rectangle.y - d * box.y];
  return matrix.every((number) => Math.abs(number) < farthest) ? matrix : null;
}

function matrixOf(appearance: PDFDict): Matrix {
  const [a, b, c, d, e, f] = readNumbers(arrayAt(appearance, 'Matrix'), 6) ?? identity;
  return [a ?? 1, b ?? 0, c ?? 0, d ?? 1, e ?? 0, f ?? 0];
}

function hasSurface({ width, height }: Box): boolean {
  return width > 0 && height > 0;
}
