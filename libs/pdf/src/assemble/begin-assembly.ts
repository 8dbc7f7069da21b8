import { PDFDocument } from 'pdf-lib';
import { Assembly } from './assembly.js';
import { carryDescription } from './carry-description.js';
import { CarryStructure } from './structure/carry-structure.js';

/** An assembly that keeps all that can be kept. The same sources always make the same bytes. */
export async function beginAssembly(): Promise<Assembly> {
  const document = await PDFDocument.create({ updateMetadata: false });
  return new Assembly(document, [carryDescription(document), new CarryStructure(document)], () => undefined);
}
