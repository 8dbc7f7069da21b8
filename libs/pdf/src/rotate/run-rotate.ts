import { PDFName, PDFNumber } from 'pdf-lib';
import { finishEdit, openForEdit } from '../document/edit-document.js';
import { corruptDocument } from '../document/failure/document-failure.js';
import { guard } from '../document/failure/guard.js';
import { normalRotation, rotationOf } from '../document/page-tree/page-rotation.js';
import type { OperationOutcome, OperationRun } from '../operation.js';
import type { RotateOptions } from './rotate.js';

/** Sets the rotation of each page that is named; nothing else of the document changes. */
export async function runRotate(run: OperationRun<RotateOptions>): Promise<OperationOutcome> {
  const { angle, mode } = run.options;
  const edited = await openForEdit(run);
  await guard(corruptDocument(0), async () => {
    for (const [index, page] of edited.selected.entries()) {
      const from = mode === 'relative' ? rotationOf(edited.document, page) : 0;
      page.node.set(PDFName.of('Rotate'), PDFNumber.of(normalRotation(from + angle)));
      run.report(index + 1, edited.selected.length);
    }
  });
  return finishEdit(run, edited, 'rotated.pdf');
}
