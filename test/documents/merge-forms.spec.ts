import { PDFDict, PDFDocument, PDFName } from 'pdf-lib';
import { type DescribedDocument, describeDocument } from '../support/documents/describe-document.js';
import { makeAnnotations } from '../support/documents/make-annotations.js';
import { makeForm } from '../support/documents/make-form.js';
import { makeSigned } from '../support/documents/make-signed.js';
import { differingShares, mergeAndCheck } from '../support/documents/merge-and-check.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';

function shownBy({ fields }: DescribedDocument): unknown[] {
  return fields.map(({ name, type, value, pages, shown }) => [name, type, value, pages, shown]);
}

/** What is shown by the fields of a form whose two pages stand from `page` on, called by their names and `suffix`. */
function formShown(page: number, suffix = ''): unknown[] {
  return [
    [`name${suffix}`, 'Tx', 'Ada', [page], ['']],
    [`agree${suffix}`, 'Btn', 'Yes', [page], ['Yes']],
    [`colour${suffix}`, 'Btn', 'red', [page, page + 1], ['red', 'Off']],
    [`country${suffix}`, 'Ch', 'Norway', [page + 1], ['']],
    [`send${suffix}`, 'Btn', null, [page + 1], ['']],
    [`approval${suffix}`, 'Sig', null, [page + 1], ['']],
  ];
}

/** How many widgets a document holds, whether or not a page has them. */
async function widgetsIn(bytes: Uint8Array): Promise<number> {
  const { context } = await PDFDocument.load(bytes, { updateMetadata: false });
  const objects = context.enumerateIndirectObjects().map(([, object]) => object);
  return objects.filter(
    (object) => object instanceof PDFDict && object.get(PDFName.of('Subtype')) === PDFName.of('Widget'),
  ).length;
}

describe('a merge of forms', () => {
  it('keeps all fields of a form and of the same form, under names of their own (row 1)', async () => {
    const form = await makeForm('one', { text: 'Ada' });
    const { bytes, described, warnings } = await mergeAndCheck([form, form]);
    expect(shownBy(described)).toEqual([...formShown(0), ...formShown(2, '_2')]);
    expect(warnings).toEqual([]);
    expect(await differingShares(bytes, [form, form])).toEqual([0, 0, 0, 0]);
  });

  it('shows in each copy of a form the values of that copy (row 1)', async () => {
    const forms = [
      await makeForm('one', { text: 'Ada', radio: 'red', isChecked: true }),
      await makeForm('two', { text: 'Bob', radio: 'blue', isChecked: false, choice: 'Peru' }),
      await makeForm('three', { text: 'Eve', radio: 'red', isChecked: false }),
    ];
    const { bytes } = await mergeAndCheck(forms);
    expect(await differingShares(bytes, forms)).toEqual(Array(6).fill(0));
    const { widgets } = await readWithPdfium(bytes);
    const values = (name: string): unknown[] =>
      widgets.filter((widget) => widget.name === name).map(({ value, checked }) => [value, checked]);
    expect([values('name'), values('name_2'), values('name_3')]).toEqual([
      [['Ada', false]],
      [['Bob', false]],
      [['Eve', false]],
    ]);
    expect([values('colour'), values('colour_2')]).toEqual([
      [
        ['red', true],
        ['red', false],
      ],
      [
        ['blue', false],
        ['blue', true],
      ],
    ]);
  });

  it('gives another name to the parent alone where fields have one', async () => {
    const { described } = await mergeAndCheck([
      await makeForm('one', { parent: 'order' }),
      await makeForm('two', { parent: 'order' }),
    ]);
    expect(described.fields).toHaveLength(12);
    expect(described.fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['order.name', 'order.colour', 'order_2.name', 'order_2.colour']),
    );
  });

  it('takes of the fields those that have a widget on a page that is taken, and drags no page along', async () => {
    const form = await makeForm('one', { radio: 'blue' });
    const { bytes, described } = await mergeAndCheck([{ bytes: form, pages: '2' }]);
    expect(shownBy(described)).toEqual([
      ['colour', 'Btn', 'blue', [0], ['blue']],
      ['country', 'Ch', 'Norway', [0], ['']],
      ['send', 'Btn', null, [0], ['']],
      ['approval', 'Sig', null, [0], ['']],
    ]);
    expect(
      Buffer.from(bytes)
        .toString('latin1')
        .match(/\/Subtype ?\/Widget/g) ?? [],
    ).toHaveLength(0);
    expect(described.annotations).toEqual([['Widget', 'Widget', 'Widget', 'Widget']]);
    expect(await widgetsIn(bytes)).toBe(4);
  });

  it('gives the fields of a page that is taken twice names of their own', async () => {
    const { described } = await mergeAndCheck([{ bytes: await makeForm('one'), pages: '1,2,1' }]);
    expect(shownBy(described)).toEqual([
      ...formShown(0),
      ['name_2', 'Tx', 'Ada', [2], ['']],
      ['agree_2', 'Btn', 'Yes', [2], ['Yes']],
      ['colour_2', 'Btn', 'red', [2], ['red']],
    ]);
  });

  it('keeps the field of a signature and not the signature, and warns that it does not hold any more (row 43)', async () => {
    const { bytes, described, warnings } = await mergeAndCheck([await makeSigned('contract'), await makeForm('two')]);
    expect(warnings).toEqual(['signature_invalidated']);
    expect(described.fields.filter(({ type }) => type === 'Sig')).toEqual([
      { name: 'approval', type: 'Sig', value: null, pages: [0], shown: [null] },
      { name: 'approval_2', type: 'Sig', value: null, pages: [2], shown: [''] },
    ]);
    expect((await mergeAndCheck([bytes])).warnings).toEqual([]);
  });

  it('keeps annotations with their popups, and nothing that leads nowhere (row 45)', async () => {
    const annotated = await makeAnnotations('notes');
    const before = await describeDocument(annotated);
    const { bytes, described } = await mergeAndCheck([annotated, annotated]);
    expect(described.annotations).toEqual([...before.annotations, ...before.annotations]);
    expect(await differingShares(bytes, [annotated, annotated])).toEqual([0, 0, 0, 0]);
  });
});
