import { PDFArray, PDFDict, PDFDocument, PDFName, PDFStream } from 'pdf-lib';
import type { SourcePage } from '../document/page-tree/list-pages.js';
import { listPages } from '../document/page-tree/list-pages.js';
import { decodeContent } from './decode-content.js';
import { addForm } from './form-object.js';
import { identity } from './matrix.js';
import { PagePainter } from './page-painter.js';

const box = { x: 0, y: 0, width: 10, height: 10 };

async function documentOfOnePage(): Promise<{ document: PDFDocument; page: SourcePage }> {
  const document = await PDFDocument.create();
  document.addPage();
  const [page] = listPages(document, 1).pages;
  if (page === undefined) throw new Error('The document has no page.');
  return { document, page };
}

function formOf({ context }: PDFDocument, content: string) {
  return addForm(context, { content, box, resources: {} });
}

function drawnOn({ document: { context }, page: { node } }: { document: PDFDocument; page: SourcePage }): string {
  const contents = node.lookup(PDFName.of('Contents'), PDFArray);
  const bytes = decodeContent(contents.asArray().map((ref) => context.lookup(ref, PDFStream)));
  return Buffer.from(bytes ?? []).toString('latin1');
}

describe('a page painter', () => {
  it('keeps the first form of a page when it draws a second', async () => {
    const made = await documentOfOnePage();
    const [first, second] = [formOf(made.document, 'f'), formOf(made.document, 'n')];
    const painter = new PagePainter(made.document, 'over');
    painter.draw(made.page, { form: first, matrix: identity });
    painter.draw(made.page, { form: second, matrix: identity });
    const forms = made.page.node.lookup(PDFName.of('Resources'), PDFDict).lookup(PDFName.of('XObject'), PDFDict);
    expect(forms.get(PDFName.of('Watermark'))).toBe(first);
    expect(forms.get(PDFName.of('Watermark2'))).toBe(second);
    expect(drawnOn(made)).toMatch(/\/Watermark Do[^]*\/Watermark2 Do/);
  });
});
