import type { PDFDocument } from 'pdf-lib';
import { PDFName, PDFNumber } from 'pdf-lib';
import type { SourcePage } from './list-pages.js';

/** By how much a page is turned clockwise when it is shown. */
export type Rotation = 0 | 90 | 180 | 270;

const rotations: readonly Rotation[] = [0, 90, 180, 270];
const rotateKey = PDFName.of('Rotate');

/** The rotation of a page, its own or inherited. What is no multiple of 90 counts as the one before it, as viewers have it. */
export function rotationOf({ context }: PDFDocument, { inheritable }: SourcePage): Rotation {
  const value = context.lookup(inheritable.get(rotateKey));
  return value instanceof PDFNumber ? normalRotation(value.asNumber()) : 0;
}

/** Any number of degrees as one of the four rotations. */
export function normalRotation(degrees: number): Rotation {
  const quarters = Math.trunc(degrees / 90) % 4;
  return rotations[(quarters + 4) % 4] ?? 0;
}
