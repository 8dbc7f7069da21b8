import { PDFDict, PDFDocument, PDFName, type PDFObject, PDFString } from 'pdf-lib';
import { assembleDocument, type Part } from '../../../../../test/support/documents/assemble-document.js';
import type { DescribedBookmark } from '../../../../../test/support/documents/describe-outline.js';
import { describeDocument } from '../../../../../test/support/documents/describe-document.js';
import { addDestinations } from '../../../../../test/support/documents/make-destinations.js';
import { makeDocument } from '../../../../../test/support/documents/make-document.js';
import {
  addOutline,
  makeLoopedOutline,
  makeNestedOutline,
} from '../../../../../test/support/documents/make-outline.js';
import type { OutlineStyle } from './outline-styles.js';

/** The outline as lines: how deep, the title, and the page it leads to. */
async function outlineOf(parts: readonly Part[], outline: OutlineStyle = 'flat'): Promise<string[]> {
  const { bytes } = await assembleDocument(parts, { outline });
  return linesOf((await describeDocument(bytes)).outline, '');
}

function linesOf(bookmarks: readonly DescribedBookmark[], indent: string): string[] {
  return bookmarks.flatMap(({ title, page, children }) => [
    `${indent}${title} -> ${page}`,
    ...linesOf(children, `${indent}- `),
  ]);
}

/** The outline of what is made of parts, and all that is below it, by title. */
async function itemsByTitle(parts: readonly Part[]): Promise<Map<string, PDFDict>> {
  const { catalog } = await PDFDocument.load((await assembleDocument(parts)).bytes);
  const items = new Map<string, PDFDict>();
  const waiting = [catalog.lookup(PDFName.of('Outlines'), PDFDict)];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    items.set(item.lookupMaybe(PDFName.of('Title'), PDFString)?.asString() ?? '', item);
    for (const key of ['First', 'Next']) {
      const next = item.lookupMaybe(PDFName.of(key), PDFDict);
      if (next !== undefined) waiting.push(next);
    }
  }
  return items;
}

function entriesOf(items: Map<string, PDFDict>, key: string): Record<string, string> {
  return Object.fromEntries(
    [...items].flatMap(([title, item]) => {
      const value = item.lookup(PDFName.of(key));
      return value === undefined ? [] : [[title, String(value)]];
    }),
  );
}

const nestedOutline = [
  'a 1 -> 0',
  '- a 1.1 -> 1',
  '- - a 1.1.1 -> 2',
  '- a 1.2 -> 3',
  'a 2 -> 8',
  '- a 2.1 -> null',
  'a \u00e9\u0436\u6f22 -> null',
];

describe('an outline', () => {
  it('of a whole document is kept whole', async () => {
    expect(await outlineOf([{ bytes: await makeNestedOutline('a') }])).toEqual(nestedOutline);
  });

  it('has a branch for each input, whether or not it has an outline of its own', async () => {
    const parts = [
      { bytes: await makeDocument('a', 2), name: 'Cover letter.PDF' },
      { bytes: await makeDocument('b', 2, addOutline([{ title: 'one', to: { page: 1 } }])), name: 'report.pdf' },
      { bytes: await makeDocument('c', 1), name: '.pdf' },
    ];
    expect(await outlineOf(parts, 'by_input')).toEqual(['Cover letter -> 0', 'report -> 2', '- one -> 3', '.pdf -> 4']);
  });

  it('has no branches when there is one input, or no input with an outline', async () => {
    expect(await outlineOf([{ bytes: await makeNestedOutline('a') }], 'by_input')).toEqual(nestedOutline);
    const bytes = await makeDocument('b', 1);
    expect(await outlineOf([{ bytes }, { bytes }], 'by_input')).toEqual([]);
  });

  it('can have the items of all inputs one after the other, or none', async () => {
    const bytes = await makeDocument('a', 2, addOutline([{ title: 'one', to: { page: 1 } }]));
    expect(await outlineOf([{ bytes }, { bytes }], 'flat')).toEqual(['one -> 1', 'one -> 3']);
    expect(await outlineOf([{ bytes }, { bytes }], 'none')).toEqual([]);
  });

  it('of a part has the items that lead to its pages, and those above them, which lead to the first page below', async () => {
    const bytes = await makeNestedOutline('a');
    expect(await outlineOf([{ bytes, pages: [2, 3] }])).toEqual([
      'a 1 -> 0',
      '- a 1.1 -> 0',
      '- - a 1.1.1 -> 0',
      '- a 1.2 -> 1',
    ]);
    expect(await outlineOf([{ bytes, pages: [8, 0] }])).toEqual(['a 1 -> 1', 'a 2 -> 0']);
    expect(await outlineOf([{ bytes, pages: [7] }])).toEqual([]);
  });

  it('of a part keeps a heading that leads nowhere above what is kept', async () => {
    const items = [
      {
        title: 'heading',
        items: [
          { title: 'one', to: { page: 0 } },
          { title: 'two', to: { page: 1 } },
        ],
      },
    ];
    const bytes = await makeDocument('a', 2, addOutline(items));
    expect(await outlineOf([{ bytes, pages: [1] }])).toEqual(['heading -> null', '- two -> 0']);
  });

  it('is not repeated with pages that are taken again', async () => {
    const bytes = await makeDocument('a', 2, addOutline([{ title: 'one', to: { page: 1 } }]));
    expect(await outlineOf([{ bytes, pages: [0, 1, 0, 1] }])).toEqual(['one -> 1']);
  });

  it('leads into its own document when names are the same', async () => {
    const items = [
      { title: 'named', to: { named: 'x' } },
      { title: 'action', to: { action: 'x' } },
    ];
    const bytes = await makeDocument('a', 2, addDestinations({ x: 1 }), addOutline(items));
    expect(await outlineOf([{ bytes }, { bytes }])).toEqual(['named -> 1', 'action -> 1', 'named -> 3', 'action -> 3']);
  });

  it('has no view to open with when it is gone', async () => {
    const bytes = await makeDocument('a', 2, addOutline([{ title: 'one', to: { page: 1 } }]), ({ catalog }) =>
      catalog.set(PDFName.of('PageMode'), PDFName.of('UseOutlines')),
    );
    const modes = [[0], [1]].map(async (pages) => {
      const { catalog } = await PDFDocument.load((await assembleDocument([{ bytes, pages }])).bytes);
      return catalog.has(PDFName.of('PageMode'));
    });
    expect(await Promise.all(modes)).toEqual([false, true]);
  });
});

describe('items of an outline', () => {
  it('keep actions that go to no page, and what they look like', async () => {
    const bytes = await makeDocument(
      'a',
      1,
      addOutline([{ title: 'uri', to: { uri: 'https://example.com/' } }]),
      (document) => {
        const item = document.catalog.lookup(PDFName.of('Outlines'), PDFDict).lookup(PDFName.of('First'), PDFDict);
        item.set(PDFName.of('C'), document.context.obj([1, 0, 0.5]));
        item.set(PDFName.of('F'), document.context.obj(3));
        item.set(PDFName.of('SE'), document.context.obj({ Type: 'StructElem' }));
      },
    );
    const item = (await itemsByTitle([{ bytes }])).get('uri');
    const entries = ['C', 'F', 'A', 'SE'].map((key) => item?.lookup(PDFName.of(key))).map((value) => value?.toString());
    expect(entries).toEqual(['[ 1 0 0.5 ]', '3', '<<\n/S /URI\n/URI (https://example.com/)\n>>', undefined]);
  });

  it('stay open or closed, and count what is shown below them', async () => {
    const items = [
      {
        title: 'closed',
        to: { page: 0 },
        isClosed: true,
        items: [
          { title: 'a', to: { page: 0 } },
          { title: 'b', to: { page: 1 } },
        ],
      },
      {
        title: 'open',
        to: { page: 0 },
        items: [{ title: 'c', to: { page: 0 }, items: [{ title: 'd', to: { page: 0 } }] }],
      },
    ];
    const bytes = await makeDocument('a', 2, addOutline(items));
    expect(entriesOf(await itemsByTitle([{ bytes }]), 'Count')).toEqual({ '': '4', closed: '-2', open: '2', c: '1' });
    expect(entriesOf(await itemsByTitle([{ bytes, pages: [0] }]), 'Count')).toEqual({
      '': '4',
      closed: '-1',
      open: '2',
      c: '1',
    });
  });

  it('are kept without a title, and with nothing of a wrong type', async () => {
    const bytes = await makeDocument('a', 1, ({ catalog, context }) => {
      const item = context.register(context.obj({ Title: 7, C: ['x'], F: [], A: 'x', Dest: 7, Count: 'x', First: 8 }));
      catalog.set(PDFName.of('Outlines'), context.obj({ First: item, Last: 7, Count: [] }));
    });
    expect(await outlineOf([{ bytes }])).toEqual([' -> null']);
  });
});

describe('an outline that has no end', () => {
  it('is cut where it leads back, and says so', async () => {
    const parts = [{ bytes: await makeLoopedOutline() }];
    expect(await outlineOf(parts)).toEqual(['one -> 0', '- child -> 1', 'two -> 1']);
    expect((await assembleDocument(parts)).warnings).toEqual(['outline_cut']);
    expect((await assembleDocument([{ bytes: await makeNestedOutline('a') }])).warnings).toEqual([]);
  });

  it('is cut below a hundred levels', async () => {
    const bytes = await makeDocument('a', 1, ({ catalog, context }) => {
      let below: PDFObject | undefined;
      for (let level = 0; level < 5_000; level += 1)
        below = context.register(
          context.obj({ Title: PDFString.of('x'), ...(below === undefined ? {} : { First: below, Last: below }) }),
        );
      catalog.set(PDFName.of('Outlines'), context.obj({ First: below ?? 0 }));
    });
    const { bytes: made, warnings } = await assembleDocument([{ bytes }]);
    expect(warnings).toEqual(['outline_cut']);
    expect(linesOf((await describeDocument(made)).outline, '')).toHaveLength(100);
  });
});
