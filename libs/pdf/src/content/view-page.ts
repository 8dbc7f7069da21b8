import type { PDFDocument } from 'pdf-lib';
import { PDFName, PDFNumber } from 'pdf-lib';
import type { SourcePage } from '../document/page-tree/list-pages.js';
import { type Rotation, rotationOf } from '../document/page-tree/page-rotation.js';
import type { Box } from './box.js';
import { farthest, readBox } from './box.js';
import type { Matrix } from './matrix.js';

/** A page as a reader sees it: cropped, turned, in points (1/72 inch), with the origin at its lower left corner. */
export interface PageView {
  readonly width: number;
  readonly height: number;
  /** From the page as seen to the coordinates of its content. */
  readonly toContent: Matrix;
}

/** What viewers take for a page without a usable MediaBox: US letter. */
const letter: Box = { x: 0, y: 0, width: 612, height: 792 };
/** A thinner page is none. */
const thinnest = 1e-3;

/** Where the visible part of a page lies and how it is shown (ISO 32000-1, 14.11.2). Anything amiss is taken as viewers do. */
export function viewPage(document: PDFDocument, page: SourcePage): PageView {
  const box = visibleBox(document, page);
  const unit = userUnitOf(document, page);
  const rotation = rotationOf(document, page);
  const isSideways = rotation === 90 || rotation === 270;
  return {
    width: (isSideways ? box.height : box.width) * unit,
    height: (isSideways ? box.width : box.height) * unit,
    toContent: turned(box, rotation, 1 / unit),
  };
}

/** The CropBox as far as it lies in the MediaBox. */
export function visibleBox(document: PDFDocument, page: SourcePage): Box {
  const media = pageBoxAt(document, page, 'MediaBox') ?? letter;
  const crop = pageBoxAt(document, page, 'CropBox');
  return (crop === null ? null : intersection(media, crop)) ?? media;
}

function turned({ x, y, width, height }: Box, rotation: Rotation, scale: number): Matrix {
  switch (rotation) {
    case 0:
      return [scale, 0, 0, scale, x, y];
    case 90:
      return [0, scale, -scale, 0, x + width, y];
    case 180:
      return [-scale, 0, 0, -scale, x + width, y + height];
    case 270:
      return [0, -scale, scale, 0, x, y + height];
  }
}

function userUnitOf({ context }: PDFDocument, { node }: SourcePage): number {
  const value = context.lookup(node.get(PDFName.of('UserUnit')));
  const unit = value instanceof PDFNumber ? value.asNumber() : 1;
  return unit > 0 && unit <= farthest ? unit : 1;
}

/** `null` for what is no rectangle, or one without a surface. */
function pageBoxAt({ context }: PDFDocument, { inheritable }: SourcePage, key: string): Box | null {
  const box = readBox(context.lookup(inheritable.get(PDFName.of(key))));
  return box !== null && hasSurface(box) ? box : null;
}

function intersection(one: Box, other: Box): Box | null {
  return between(
    Math.max(one.x, other.x),
    Math.max(one.y, other.y),
    Math.min(one.x + one.width, other.x + other.width),
    Math.min(one.y + one.height, other.y + other.height),
  );
}

function between(left: number, bottom: number, right: number, top: number): Box | null {
  const box = { x: left, y: bottom, width: right - left, height: top - bottom };
  return hasSurface(box) ? box : null;
}

function hasSurface({ width, height }: Box): boolean {
  return width >= thinnest && height >= thinnest;
}
