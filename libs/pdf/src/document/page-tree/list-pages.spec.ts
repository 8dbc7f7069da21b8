import { PDFDocument, PDFName, type PDFRef } from 'pdf-lib';
import { listPages } from './list-pages.js';

const mostPages = 100;

/** A document whose page tree root has these kids, made by their context. */
async function treeOf(kids: (document: PDFDocument, root: PDFRef) => readonly PDFRef[]): Promise<PDFDocument> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const root = document.catalog.get(PDFName.of('Pages')) as PDFRef;
  document.catalog.Pages().set(PDFName.of('Kids'), document.context.obj([...kids(document, root)]));
  return document;
}

function page({ context }: PDFDocument, entries: Record<string, string | number> = {}): PDFRef {
  return context.register(context.obj({ Type: 'Page', ...entries }));
}

function node({ context }: PDFDocument, kids: readonly PDFRef[], entries: Record<string, number> = {}): PDFRef {
  return context.register(context.obj({ Type: 'Pages', Kids: [...kids], ...entries }));
}

describe('listPages', () => {
  it('gives the pages of a nested tree in order, with what they take from above', async () => {
    const document = await treeOf((made) => [
      node(made, [page(made), page(made, { Rotate: 0 })], { Rotate: 90 }),
      page(made),
    ]);
    const { pages, isSound } = listPages(document, mostPages);
    expect(isSound).toBe(true);
    expect(pages.map(({ inheritable }) => inheritable.get(PDFName.of('Rotate'))?.toString())).toEqual([
      '90',
      '0',
      undefined,
    ]);
  });

  it('walks a node once, however often the tree leads to it', async () => {
    const endless = await treeOf((made, root) => [page(made), root]);
    expect(listPages(endless, mostPages)).toMatchObject({ isSound: false, pages: [{}] });
    const shared = await treeOf((made) => {
      let below = page(made);
      for (let depth = 0; depth < 60; depth += 1) below = node(made, [below, below]);
      return [below];
    });
    expect(listPages(shared, mostPages)).toMatchObject({ isSound: false, pages: [{}] });
  });

  it('stops at one page more than it may have', async () => {
    const document = await treeOf((made) => Array.from({ length: 50 }, () => page(made)));
    expect(listPages(document, 10).pages).toHaveLength(11);
  });

  it('leaves out what is no node', async () => {
    const document = await treeOf((made) => [page(made), made.context.register(made.context.obj([1])), page(made)]);
    expect(listPages(document, mostPages)).toMatchObject({ isSound: false, pages: [{}, {}] });
    document.catalog.set(PDFName.of('Pages'), document.context.obj({}));
    expect(listPages(document, mostPages)).toEqual({ isSound: false, pages: [] });
  });
});
