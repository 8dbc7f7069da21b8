import { PDFDocument } from 'pdf-lib';
import { sweep } from './sweep.js';

describe('sweep', () => {
  it('removes what nothing leads to and keeps what the catalog and the description lead to', async () => {
    const document = await PDFDocument.create({ updateMetadata: false });
    document.setTitle('kept');
    document.addPage();
    const { context } = document;
    const second = context.nextRef();
    const first = context.register(context.obj([second]));
    context.assign(second, context.obj([first]));
    const kept = context.register(context.obj({ Kept: true }));
    document.getPage(0).node.set(context.obj({}).uniqueKey(), context.obj([[kept]]));
    const before = context.enumerateIndirectObjects().length;
    sweep(document);
    expect(context.enumerateIndirectObjects()).toHaveLength(before - 2);
    expect(context.lookup(first)).toBeUndefined();
    expect(context.lookup(kept)).toBeDefined();
    expect((await PDFDocument.load(await document.save())).getTitle()).toBe('kept');
  });
});
