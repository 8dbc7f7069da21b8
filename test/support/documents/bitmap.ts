/** A picture, row by row from the top, four bytes for each pixel: red, green, blue, alpha. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** The greatest difference that two pixels have in red, green or blue. */
export function pixelDifference(one: Uint8Array, other: Uint8Array, pixel: number): number {
  let greatest = 0;
  for (let at = pixel * 4; at < pixel * 4 + 3; at += 1)
    greatest = Math.max(greatest, Math.abs((one[at] ?? 0) - (other[at] ?? 0)));
  return greatest;
}

/** Two pictures of different sizes cannot be compared pixel by pixel. */
export function requireSameSize(one: Bitmap, other: Bitmap): void {
  if (one.width === other.width && one.height === other.height) return;
  throw new Error(`${one.width} x ${one.height} pixels against ${other.width} x ${other.height}`);
}
