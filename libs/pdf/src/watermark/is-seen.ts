import { type Box, transformBox } from '../content/box.js';
import { invert, type Matrix } from '../content/matrix.js';

/** What has less than this in common, in points or in units of a stamp, only touches. */
const thinnest = 1e-6;

/**
 * Whether any of a box, brought by a matrix to a page as it is seen, lies on the page. Two rectangles, turned against each other, lie apart
 * just when they do along a side of the one or of the other.
 */
export function isSeen(box: Box, toPage: Matrix, { width, height }: Pick<Box, 'width' | 'height'>): boolean {
  const page = { x: 0, y: 0, width, height };
  return overlap(transformBox(box, toPage), page) && overlap(box, transformBox(page, invert(toPage)));
}

function overlap(one: Box, other: Box): boolean {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const along = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return across > thinnest && along > thinnest;
}
