import { PagePainter } from '../content/page-painter.js';
import { viewPage } from '../content/view-page.js';
import type { EditedDocument } from '../document/edit-document.js';
import { finishEdit, openForEdit } from '../document/edit-document.js';
import { corruptDocument } from '../document/failure/document-failure.js';
import type { DocumentWarning } from '../document/failure/document-warnings.js';
import { guard } from '../document/failure/guard.js';
import type { OperationOutcome, OperationRun } from '../operation.js';
import { makeStamp } from './make-stamp.js';
import type { Stamp } from './stamp.js';
import { StampPlacer } from './stamp-placer.js';
import type { WatermarkOptions } from './watermark-options.js';

type Run = OperationRun<WatermarkOptions>;

/** Makes what is to be drawn once, then draws it on each page that is named. */
export async function runWatermark(run: Run): Promise<OperationOutcome> {
  const edited = await openForEdit(run);
  const { stamp, warnings } = await makeStamp(run, edited.document.context, edited.pageCount);
  const isSeen = await guard(corruptDocument(0), async () => drawOnPages(run, edited, stamp));
  const unseen: readonly DocumentWarning[] = isSeen ? [] : ['watermark_outside'];
  return finishEdit(run, edited, 'watermarked.pdf', [...warnings, ...unseen]);
}

/** @returns whether something of it lies on what is seen of each of the pages */
function drawOnPages(run: Run, { document, selected }: EditedDocument, stamp: Stamp): boolean {
  let isSeen = true;
  const painter = new PagePainter(document, run.options.layer);
  const placer = new StampPlacer(document.context, stamp, run.options);
  for (const [index, page] of selected.entries()) {
    const placed = placer.place(viewPage(document, page));
    isSeen &&= placed.isSeen;
    painter.draw(page, placed);
    run.report(index + 1, selected.length);
  }
  return isSeen;
}
