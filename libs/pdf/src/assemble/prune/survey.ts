import type { PDFDict, PDFObject, PDFRef } from 'pdf-lib';
import type { NamesUsed } from './names-used.js';

/** What a page, or what else has contents of its own (a form, a tiling pattern, a Type 3 font), takes of its resources. */
export interface Survey {
  /** Its resources without what it does not use, an object of its source; `null` if there is nothing to leave out. */
  readonly pruned: PDFDict | null;
  /** Names that it does not find in them: what draws it, or the page, may have what they mean. */
  readonly open: NamesUsed;
  /** What it draws with that has contents of its own. */
  readonly parts: readonly SurveyedPart[];
}

export interface SurveyedPart {
  readonly ref: PDFRef;
  /** What stands for it when it is copied; `null` if it is copied as it is. */
  readonly substitute: PDFObject | null;
  readonly survey: Survey;
}
