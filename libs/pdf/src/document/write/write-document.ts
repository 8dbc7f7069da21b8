import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PDFDocument } from 'pdf-lib';
import type { OutputFile } from '../../operation.js';
import type { OutputBudget } from './output-budget.js';
import { serialiseDocument } from './serialise-document.js';

/** Where an output goes: the file is named by its index alone, `name` is for people. */
export interface OutputPlace {
  readonly directory: string;
  readonly budget: OutputBudget;
  readonly index: number;
  readonly name: string;
  readonly pages: number;
  /** The input to blame when its copied objects cannot be written; `null` if it may be any of several. */
  readonly input: number | null;
}

/** Writes a finished document as a new file. Throws `DocumentFailed` when it cannot be written or is too large. */
export async function writeDocument(document: PDFDocument, place: OutputPlace): Promise<OutputFile> {
  const bytes = await serialiseDocument(document, place.input);
  place.budget.spend(bytes.byteLength);
  const path = join(place.directory, `${place.index}.pdf`);
  await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
  return { path, name: place.name, mediaType: 'application/pdf', pages: place.pages };
}
