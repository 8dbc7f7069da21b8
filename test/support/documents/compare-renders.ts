import { type Bitmap, pixelDifference, requireSameSize } from './bitmap.js';

/** How far two pictures differ. */
export interface RenderDifference {
  /** The share of pixels that differ visibly, from 0 to 1. */
  readonly differingShare: number;
  /** Peak signal-to-noise ratio over red, green and blue; infinite for equal pictures. From 40 on the eye sees no difference. */
  readonly psnrDb: number;
}

/** Compares pictures of the same size; pixels whose channels are at most `tolerance` apart (of 255) count as equal. */
export function compareRenders(one: Bitmap, other: Bitmap, tolerance = 16): RenderDifference {
  requireSameSize(one, other);
  const pixels = one.width * one.height;
  let differing = 0;
  let squares = 0;
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    if (pixelDifference(one.rgba, other.rgba, pixel) > tolerance) differing += 1;
    squares += squaredError(one.rgba, other.rgba, pixel);
  }
  const meanSquare = squares / (pixels * 3);
  return { differingShare: differing / pixels, psnrDb: 10 * Math.log10(255 ** 2 / meanSquare) };
}

function squaredError(one: Uint8Array, other: Uint8Array, pixel: number): number {
  let sum = 0;
  for (let at = pixel * 4; at < pixel * 4 + 3; at += 1) sum += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2;
  return sum;
}
