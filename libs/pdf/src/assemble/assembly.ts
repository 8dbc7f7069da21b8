import type { PDFDict, PDFDocument, PDFObject, PDFRef } from 'pdf-lib';
import { PDFName } from 'pdf-lib';
import type { DocumentWarning } from '../document/failure/document-warnings.js';
import type { Source } from '../document/open/source.js';
import type { Carrier } from './carrier.js';
import { copyPage } from './copy-page.js';
import type { Excerpt, PlacedPage } from './excerpt.js';
import { placeExcerpts } from './place-excerpts.js';
import { shareEqualObjects } from './share-equal-objects.js';

/** Which of its resources a page takes along, as an object of its source. */
export type ChooseResources = (excerpt: Excerpt, page: PlacedPage) => PDFObject | undefined;

/** A new document that is put together from pages of others, one source after the other; no source is needed after it was added. */
export class Assembly {
  private readonly pages: PDFRef[] = [];
  private excerpts = 0;

  /**
   * @param document an empty one
   * @param carriers what is carried along besides the pages, each in its turn
   */
  constructor(
    readonly document: PDFDocument,
    private readonly carriers: readonly Carrier[],
    private readonly chooseResources: ChooseResources,
  ) {}

  get pageCount(): number {
    return this.pages.length;
  }

  /** Adds pages (0-based) of a source in this order, as often as they are named. */
  add(source: Source, indices: readonly number[]): void {
    const target = { context: this.document.context, firstNumber: this.pages.length };
    for (const excerpt of placeExcerpts(source, indices, target)) {
      this.excerpts += 1;
      for (const carrier of this.carriers) carrier.prepare?.(excerpt);
      for (const page of excerpt.pages) {
        copyPage(excerpt, page, this.chooseResources(excerpt, page));
        this.pages[page.number] = page.ref;
      }
      for (const carrier of this.carriers) carrier.add(excerpt);
    }
  }

  /** Completes the document and returns what could not be kept, each thing once. */
  finish(): DocumentWarning[] {
    const warnings = this.carriers.flatMap((carrier) => carrier.finish());
    this.fillPageTree();
    if (this.excerpts > 1) shareEqualObjects(this.document.context);
    return [...new Set(warnings)];
  }

  private fillPageTree(): void {
    const { catalog, context } = this.document;
    const root = catalog.get(PDFName.of('Pages'));
    const tree = catalog.Pages();
    for (const page of this.pages) (context.lookup(page) as PDFDict).set(PDFName.of('Parent'), root as PDFRef);
    tree.set(PDFName.of('Kids'), context.obj(this.pages));
    tree.set(PDFName.of('Count'), context.obj(this.pages.length));
  }
}
