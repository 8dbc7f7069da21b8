import { PDFContext, PDFDict, PDFName, PDFNumber, PDFString } from 'pdf-lib';
import { readNameTree } from './read-name-tree.js';
import { writeNameTree } from './write-name-tree.js';

function written(context: PDFContext, names: readonly string[]): PDFDict {
  const entries = names.map((name, index) => [name, PDFNumber.of(index)] as const);
  return context.lookup(writeNameTree(context, entries), PDFDict);
}

describe('a name tree', () => {
  it.each([0, 1, 64, 65, 1_000])('of %d entries is read as it was written, sorted by bytes', (count) => {
    const names = Array.from({ length: count }, (_, index) => `n${index}\xe9`);
    const entries = readNameTree(written(PDFContext.create(), names));
    expect(entries.map(([name]) => name)).toEqual([...names].sort());
    for (const [name, value] of entries) expect(names[Number(value.toString())]).toBe(name);
  });

  it('is read once node by node, whatever leads back', () => {
    const context = PDFContext.create();
    const root = written(context, ['a']);
    root.set(PDFName.of('Kids'), context.obj([context.register(root), 7, context.obj({})]));
    expect(readNameTree(root)).toHaveLength(1);
  });

  it('is read in the time that its size allows, however often nodes share what they have', () => {
    const context = PDFContext.create();
    const names = context.register(context.obj(Array.from({ length: 20_000 }, (_, at) => PDFString.of(`${at}`))));
    const kids = context.nextRef();
    const nodes = Array.from({ length: 20_000 }, () => context.register(context.obj({ Names: names, Kids: kids })));
    context.assign(kids, context.obj(nodes));
    expect(readNameTree(context.obj({ Kids: kids }))).toHaveLength(10_000);
  });

  it('leaves out what has no name or no value', () => {
    const context = PDFContext.create();
    const root = context.obj({ Names: [PDFString.of('a'), 1, 2, 3, PDFString.of('b')] });
    expect(readNameTree(root).map(([name]) => name)).toEqual(['a']);
    expect(readNameTree(undefined)).toEqual([]);
  });
});
