import { PDFDocument } from 'pdf-lib';
import { Assembly } from './assembly.js';
import { carryDescription } from './carry-description.js';
import { carryDestinations } from './links/carry-destinations.js';
import { CarryStructure } from './structure/carry-structure.js';

/** An assembly that keeps all that can be kept. The same sources always make the same bytes. */
export async function beginAssembly(): Promise<Assembly> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const carriers = [carryDescription(document), carryDestinations(document), new CarryStructure(document)];
  return new Assembly(document, carriers, () => undefined);
}
