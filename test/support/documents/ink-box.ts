import { type Bitmap, pixelDifference, requireSameSize } from './bitmap.js';

/** A box in a picture, in pixels from the top left; right and bottom lie outside. */
export interface InkBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The smallest box around all pixels that differ between two renders by more than `tolerance` (of 255); `null` if none does. */
export function inkBox(before: Bitmap, after: Bitmap, tolerance = 16): InkBox | null {
  requireSameSize(before, after);
  const box = { left: before.width, top: before.height, right: 0, bottom: 0 };
  for (let pixel = 0; pixel < before.width * before.height; pixel += 1) {
    if (pixelDifference(before.rgba, after.rgba, pixel) <= tolerance) continue;
    const x = pixel % before.width;
    const y = (pixel - x) / before.width;
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x + 1);
    box.bottom = Math.max(box.bottom, y + 1);
  }
  return box.right === 0 ? null : box;
}

/** The same around all that is not white. */
export function inkBoxOf(picture: Bitmap, tolerance = 16): InkBox | null {
  return inkBox({ ...picture, rgba: new Uint8Array(picture.rgba.length).fill(255) }, picture, tolerance);
}
