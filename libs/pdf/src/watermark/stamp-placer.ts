import type { PDFContext, PDFRef } from 'pdf-lib';
import { addForm } from '../content/form-object.js';
import type { Matrix } from '../content/matrix.js';
import { concat, formatNumbers } from '../content/matrix.js';
import type { PageView } from '../content/view-page.js';
import { DocumentFailed, tooManyTiles } from '../document/failure/document-failure.js';
import { isSeen } from './is-seen.js';
import type { Placement } from './place-stamp.js';
import { placeStamp } from './place-stamp.js';
import type { Stamp } from './stamp.js';
import { fontSizeInForm } from './text-stamp.js';
import type { WatermarkOptions } from './watermark-options.js';
import { defaultScale } from './watermark-options.js';

/** More on one page are no pattern any more, and make a document large. */
export const mostTiles = 1_000;

/** A form and the matrix that brings it to its place in the content of a page. */
export interface PlacedForm {
  readonly form: PDFRef;
  readonly matrix: Matrix;
  /** Whether anything of it lies on what is seen of the page. */
  readonly isSeen: boolean;
}

/** The tiles of all pages of one size. */
type TileForm = Omit<PlacedForm, 'matrix'>;

/** Says for each page what is drawn on it. Tiles are one form for all pages of one size. */
export class StampPlacer {
  private readonly placement: Placement;
  private readonly tileForms = new Map<string, TileForm>();

  constructor(
    private readonly context: PDFContext,
    private readonly stamp: Stamp,
    options: WatermarkOptions,
  ) {
    this.placement = placementOf(options);
  }

  /** Throws `DocumentFailed` with `limit_exceeded` when a page would need too many tiles. */
  place({ width, height, toContent }: PageView): PlacedForm {
    const matrices = placeStamp({ width, height }, this.stamp.box, this.placement, mostTiles);
    if (matrices === null) throw new DocumentFailed(tooManyTiles(mostTiles));
    const [matrix] = matrices;
    if (this.placement.gaps === null && matrix !== undefined)
      return { form: this.stamp.form, matrix: concat(matrix, toContent), isSeen: this.isSeen(matrix, width, height) };
    return { ...this.tileForm(width, height, matrices), matrix: toContent };
  }

  private isSeen(matrix: Matrix, width: number, height: number): boolean {
    return isSeen(this.stamp.ink, matrix, { width, height });
  }

  private tileForm(width: number, height: number, matrices: readonly Matrix[]): TileForm {
    const key = formatNumbers([width, height]);
    const form = this.tileForms.get(key) ?? this.makeTileForm(width, height, matrices);
    this.tileForms.set(key, form);
    return form;
  }

  private makeTileForm(width: number, height: number, matrices: readonly Matrix[]): TileForm {
    const content = matrices.map((matrix) => `q ${formatNumbers(matrix)} cm /S Do Q\n`).join('');
    const box = { x: 0, y: 0, width, height };
    const form = addForm(this.context, { content, box, resources: { XObject: { S: this.stamp.form } } });
    return { form, isSeen: matrices.some((matrix) => this.isSeen(matrix, width, height)) };
  }
}

function placementOf({ position, offset, margin, angle, scale, font_size, tile }: WatermarkOptions): Placement {
  return {
    position,
    offset,
    margin,
    angle,
    size: font_size === undefined ? { share: scale ?? defaultScale } : { scale: font_size / fontSizeInForm },
    gaps: tile === undefined ? null : { x: tile.gap_x, y: tile.gap_y },
  };
}
