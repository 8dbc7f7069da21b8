import type { Box } from '../content/box.js';
import type { Matrix } from '../content/matrix.js';
import { concat } from '../content/matrix.js';

export const positions = [
  'top-left',
  'top',
  'top-right',
  'left',
  'center',
  'right',
  'bottom-left',
  'bottom',
  'bottom-right',
] as const;
export type Position = (typeof positions)[number];

/** How large a stamp is, turned by how much, and where on the page as it is seen. Lengths are in points, y upwards. */
export interface Placement {
  readonly position: Position;
  readonly offset: { readonly x: number; readonly y: number };
  /** Kept free along the edges of the page. */
  readonly margin: number;
  /** Degrees counter-clockwise. */
  readonly angle: number;
  /** Either points for each unit of the stamp, or the share of the page that it may fill. */
  readonly size: { readonly scale: number } | { readonly share: number };
  /** Repeats the stamp over the page, with these gaps. */
  readonly gaps: { readonly x: number; readonly y: number } | null;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** On a page so small that its margins would leave nothing, they leave a tenth. */
const largestMarginShare = 0.45;

/** Where the stamp goes on a page of this size: once, or as often as tiles touch the page; `null` if those are more than `mostTiles`. */
export function placeStamp(page: Size, box: Box, placement: Placement, mostTiles: number): Matrix[] | null {
  const radians = (placement.angle * Math.PI) / 180;
  const [cos, sin] = [exact(Math.cos(radians)), exact(Math.sin(radians))];
  const margin = Math.min(placement.margin, largestMarginShare * Math.min(page.width, page.height));
  const turned = {
    width: box.width * Math.abs(cos) + box.height * Math.abs(sin),
    height: box.width * Math.abs(sin) + box.height * Math.abs(cos),
  };
  const scale = scaleOf(page, turned, placement.size, margin);
  const area = { width: turned.width * scale, height: turned.height * scale };
  const x = along(page.width, area.width, margin, columnOf(placement.position)) + placement.offset.x;
  const y = along(page.height, area.height, margin, rowOf(placement.position)) + placement.offset.y;
  const toCenter: Matrix = [1, 0, 0, 1, -(box.x + box.width / 2), -(box.y + box.height / 2)];
  const at = (dx: number, dy: number): Matrix =>
    concat(toCenter, [cos * scale, sin * scale, -sin * scale, cos * scale, x + dx, y + dy]);
  return placement.gaps === null ? [at(0, 0)] : tiles({ page, area, center: { x, y } }, placement.gaps, mostTiles, at);
}

function scaleOf(page: Size, turned: Size, size: Placement['size'], margin: number): number {
  if ('scale' in size) return size.scale;
  const width = Math.min(page.width * size.share, page.width - 2 * margin);
  const height = Math.min(page.height * size.share, page.height - 2 * margin);
  return Math.min(width / turned.width, height / turned.height);
}

/** The middle of the stamp along one side of the page, for -1 (left, bottom), 0 or 1 (right, top). */
function along(page: number, stamp: number, margin: number, end: number): number {
  return page / 2 + end * (page / 2 - margin - stamp / 2);
}

function tiles(
  { page, area, center }: { page: Size; area: Size; center: { x: number; y: number } },
  gaps: { x: number; y: number },
  mostTiles: number,
  at: (dx: number, dy: number) => Matrix,
): Matrix[] | null {
  const columns = steps(page.width, area.width, center.x, area.width + gaps.x);
  const rows = steps(page.height, area.height, center.y, area.height + gaps.y);
  const count = (columns.last - columns.first + 1) * (rows.last - rows.first + 1);
  if (!(count <= mostTiles)) return null;
  const placed: Matrix[] = [];
  for (let row = rows.first; row <= rows.last; row += 1)
    for (let column = columns.first; column <= columns.last; column += 1)
      placed.push(at(column * (area.width + gaps.x), row * (area.height + gaps.y)));
  return placed;
}

/** The steps from the middle of one tile at which a tile still touches the page. */
function steps(page: number, tile: number, center: number, pitch: number): { first: number; last: number } {
  const first = Math.ceil((-tile / 2 - center) / pitch);
  return { first, last: Math.floor((page + tile / 2 - center) / pitch) };
}

/** -1 for the left, 0 for the middle, 1 for the right. */
export function columnOf(position: Position): -1 | 0 | 1 {
  if (position.endsWith('left')) return -1;
  return position.endsWith('right') ? 1 : 0;
}

function rowOf(position: Position): -1 | 0 | 1 {
  if (position.startsWith('bottom')) return -1;
  return position.startsWith('top') ? 1 : 0;
}

/** The sine of 180° is not quite 0 as it is computed. */
function exact(value: number): number {
  return Math.abs(value) < 1e-12 ? 0 : value;
}
