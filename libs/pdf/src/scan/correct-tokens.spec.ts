import { PDFDict, PDFName, PDFRef } from 'pdf-lib';
import { BoundedParser } from './bounded-parser.js';
import { correctTokens } from './correct-tokens.js';

correctTokens();

const dictionary = '<</Font#2fOne 1/Caf#c3#a9 2/Plain 3>>';

/** The dictionary as object 3 of a file, by itself or in an object stream. */
function fileWith(holder: string): Buffer {
  return Buffer.from(
    `%PDF-1.5\n1 0 obj\n<</Type/Catalog>>\nendobj\n${holder}\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n`,
  );
}

const packed = `3 0 ${dictionary}`;

describe('the names of a document', () => {
  it.each([
    ['an object', `3 0 obj\n${dictionary}`],
    ['an object stream', `2 0 obj\n<</Type/ObjStm/N 1/First 4/Length ${packed.length}>>\nstream\n${packed}\nendstream`],
  ])('in %s are read with escapes in small letters and written with what they mean', async (_holder, content) => {
    const context = await new BoundedParser(fileWith(content), false).parseDocument();
    const read = context.lookup(PDFRef.of(3), PDFDict);
    expect(read.has(PDFName.of('Font#2FOne'))).toBe(true);
    expect(read.keys().map(String)).toEqual(['/Font#2FOne', '/Caf#C3#A9', '/Plain']);
  });

  it('have no null in them, and numbers are none that readers cannot take', async () => {
    const content = '3 0 obj\n<</A#00B 1/Large 99999999999999999999999999.5/Least -99999999999999999999>>';
    const context = await new BoundedParser(fileWith(content), false).parseDocument();
    const read = context.lookup(PDFRef.of(3), PDFDict);
    expect(read.get(PDFName.of('AB'))?.toString()).toBe('1');
    expect(read.get(PDFName.of('Large'))?.toString()).toBe('9007199254740991');
    expect(read.get(PDFName.of('Least'))?.toString()).toBe('-9007199254740991');
  });
});
