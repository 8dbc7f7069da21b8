import { checkWithQpdf, sound } from '../support/documents/check-with-qpdf.js';
import { describeDocument } from '../support/documents/describe-document.js';
import { makeAnnotations } from '../support/documents/make-annotations.js';
import { makeAttachments } from '../support/documents/make-attachments.js';
import { makeBoxedPage, makeInheritedBoxes } from '../support/documents/make-boxes.js';
import {
  cutAt,
  headerOnly,
  html,
  png,
  withInvalidRoot,
  withJunkBefore,
  withNulsAfter,
  withoutCrossReferences,
  withoutTable,
  withWrongOffsets,
} from '../support/documents/make-damaged.js';
import { makeNamedDestinations } from '../support/documents/make-destinations.js';
import { makeDocument } from '../support/documents/make-document.js';
import { encrypt, encryptionMethods } from '../support/documents/make-encrypted.js';
import { makeForm } from '../support/documents/make-form.js';
import { makeLabelledPages } from '../support/documents/make-labels.js';
import { makeLayers } from '../support/documents/make-layers.js';
import { leakNames, makeLeaking } from '../support/documents/make-leaking.js';
import { makeLinkedPages } from '../support/documents/make-links.js';
import { makeLoopedOutline, makeNestedOutline } from '../support/documents/make-outline.js';
import { makeRichDocument } from '../support/documents/make-rich-document.js';
import { makeSharedBook } from '../support/documents/make-shared-book.js';
import { makeLogoPage } from '../support/documents/make-shared-logo.js';
import { makeSigned } from '../support/documents/make-signed.js';
import { makeStructure } from '../support/documents/make-structure.js';
import { linearized, makeHybrid, withObjectStreams } from '../support/documents/make-variants.js';
import { findNamedDestination, readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { renderWithPdfium } from '../support/documents/render-with-pdfium.js';
import { inkBoxOf } from '../support/documents/ink-box.js';

const generators: Readonly<Record<string, () => Promise<Uint8Array>>> = {
  annotations: () => makeAnnotations('A'),
  attachments: () => makeAttachments('A'),
  boxes: () => makeBoxedPage('A', { mediaBox: [100, 200, 500, 650], cropBox: [120, 210, 480, 600], rotate: 270 }),
  'inherited boxes': () => makeInheritedBoxes('A'),
  form: () => makeForm('A'),
  'form below a parent': () => makeForm('A', { parent: 'person' }),
  labels: () => makeLabelledPages('A'),
  layers: () => makeLayers('A'),
  links: () => makeLinkedPages('A'),
  logo: () => makeLogoPage('A'),
  'named destinations': () => makeNamedDestinations('A'),
  outline: () => makeNestedOutline('A'),
  'rich document': () => makeRichDocument('A'),
  'shared book': () => makeSharedBook({ pages: 5 }),
  signed: () => makeSigned('A'),
  structure: () => makeStructure('A'),
  hybrid: async () => makeHybrid(),
  'object streams': async () => withObjectStreams(await makeDocument('A', 3)),
  linearized: async () => linearized(await makeDocument('A', 3)),
  'linearized with object streams': async () => linearized(await makeDocument('A', 3), true),
};

describe.each(Object.entries(generators))('%s', (_name, make) => {
  it('is in order, has its text, and is the same each time', async () => {
    const bytes = await make();
    expect(await checkWithQpdf(bytes)).toEqual(sound);
    const { pages } = await readWithPdfium(bytes);
    for (const [index, { text }] of pages.entries())
      expect(text).toMatch(new RegExp(`^(A|Book|hybrid) page ${index + 1}$`, 'm'));
    expect(Buffer.from(await make()).equals(bytes)).toBe(true);
  });
});

describe('what two readers see', () => {
  it('in a form: six fields with their values, in pages', async () => {
    const bytes = await makeForm('A', { text: 'Grace', isChecked: true, radio: 'blue', choice: 'Peru' });
    const { fields } = await describeDocument(bytes);
    expect(fields).toEqual([
      { name: 'name', type: 'Tx', value: 'Grace', pages: [0], shown: [''] },
      { name: 'agree', type: 'Btn', value: 'Yes', pages: [0], shown: ['Yes'] },
      { name: 'colour', type: 'Btn', value: 'blue', pages: [0, 1], shown: ['Off', 'blue'] },
      { name: 'country', type: 'Ch', value: 'Peru', pages: [1], shown: [''] },
      { name: 'send', type: 'Btn', value: null, pages: [1], shown: [''] },
      { name: 'approval', type: 'Sig', value: null, pages: [1], shown: [''] },
    ]);
    const { widgets } = await readWithPdfium(bytes);
    expect(widgets.map(({ name, type, value, checked }) => [name, type, value, checked])).toEqual([
      ['name', 'text', 'Grace', false],
      ['agree', 'checkbox', 'Yes', true],
      ['colour', 'radio', 'blue', false],
      ['colour', 'radio', 'blue', true],
      ['country', 'choice', 'Peru', false],
      ['send', 'button', '', false],
      ['approval', 'signature', '', false],
    ]);
    expect((await describeDocument(await makeForm('A', { parent: 'person' }))).fields[0]?.name).toBe('person.name');
  });

  it('in an outline: three levels, and the pages that each entry leads to', async () => {
    const bytes = await makeNestedOutline('A');
    const { outline } = await describeDocument(bytes);
    expect(outline).toEqual([
      {
        title: 'A 1',
        page: 0,
        children: [
          { title: 'A 1.1', page: 1, children: [{ title: 'A 1.1.1', page: 2, children: [] }] },
          { title: 'A 1.2', page: 3, children: [] },
        ],
      },
      { title: 'A 2', page: 8, children: [{ title: 'A 2.1', page: null, children: [] }] },
      { title: 'A éж漢', page: null, children: [] },
    ]);
    expect((await readWithPdfium(bytes)).bookmarks).toEqual(outline);
    await expect(describeDocument(await makeLoopedOutline())).rejects.toThrow('The outline has a loop.');
  });

  it('in destinations and links: where they lead', async () => {
    const named = await makeNamedDestinations('A');
    const { destinations, links } = await describeDocument(named);
    expect(destinations).toEqual({ alpha: 1, target: 2, old: 3 });
    expect(links[0]?.map(({ page }) => page)).toEqual([2, 1, 3]);
    expect(await findNamedDestination(named, 'target')).toBe(2);
    expect(await findNamedDestination(named, 'nothing')).toBeNull();
    expect((await describeDocument(await makeLinkedPages('A'))).links).toEqual([
      [
        { page: 2, uri: null },
        { page: 0, uri: null },
        { page: null, uri: 'https://example.com/' },
      ],
      [],
      [{ page: 0, uri: null }],
    ]);
  });

  it('in labels: what each page is called', async () => {
    const bytes = await makeLabelledPages('A');
    const called = ['i', 'ii', 'A-7', 'A-8', 'Cover'];
    expect((await describeDocument(bytes)).labels).toEqual(called);
    expect((await readWithPdfium(bytes)).pages.map(({ label }) => label)).toEqual(called);
  });

  it('in attachments: the files and what is in them', async () => {
    const bytes = await makeAttachments('A');
    expect((await describeDocument(bytes)).attachments).toEqual({
      files: { 'A.csv': 8, 'notes.txt': 10 },
      areSorted: true,
      onPages: [{ page: 0, name: 'pinned.txt', bytes: 11 }],
    });
    const { attachments } = await readWithPdfium(bytes);
    expect(attachments.map((file) => [file.name, Buffer.from(file.bytes).toString()])).toEqual([
      ['A.csv', 'a,b\n1,2\n'],
      ['notes.txt', 'notes of A'],
    ]);
  });

  it('in layers: one that shows, and one that does not', async () => {
    const bytes = await makeLayers('A');
    expect((await describeDocument(bytes)).layers).toEqual([
      { name: 'Shown', isVisible: true },
      { name: 'Hidden', isVisible: false },
    ]);
    const box = inkBoxOf(await renderWithPdfium(bytes, 0));
    expect(box?.bottom).toBeLessThan(315);
  });

  it('in a structure: its elements, and no page without its own', async () => {
    const bytes = await makeStructure('A');
    expect((await describeDocument(bytes)).structure).toEqual({
      elements: 6,
      types: ['Document', 'Chapter', 'P', 'Chapter', 'P', 'Link'],
      unresolvedPages: [],
      isMarked: true,
    });
    expect((await readWithPdfium(bytes)).isTagged).toBe(true);
  });

  it('in annotations and a signature: that they are there', async () => {
    const subtypes = ['Text', 'Popup', 'Text', 'Highlight', 'Stamp'];
    expect((await describeDocument(await makeAnnotations('A'))).annotations).toEqual([subtypes, []]);
    expect((await readWithPdfium(await makeSigned('A'))).signatures).toBe(1);
  });

  it('in boxes: the page as it is cropped and turned', async () => {
    const sizes = (await readWithPdfium(await makeInheritedBoxes('A'))).pages.map(({ width, height }) => [
      width,
      height,
    ]);
    expect(sizes).toEqual([
      [320, 300],
      [300, 320],
      [100, 200],
    ]);
  });

  it('in copies of a picture: that they are copies', async () => {
    expect((await describeDocument(await makeLogoPage('A'))).duplicateStreams).toBe(0);
    const form = await describeDocument(await makeForm('A'));
    expect(form.duplicateStreams).toBeGreaterThan(0);
  });
});

describe('a book that shares its pictures', () => {
  it('has 2.8 MB with 165 pages', async () => {
    const bytes = await makeSharedBook({ pages: 165 });
    expect(bytes.byteLength / 1e6).toBeCloseTo(2.8, 1);
  });
});

describe.each(encryptionMethods)('encryption with %s', (method) => {
  it('opens with either password and with no other', async () => {
    const bytes = await encrypt(await makeDocument('secret', 1), method, { user: 'view', owner: 'master' });
    expect(await checkWithQpdf(bytes, 'view')).toEqual(sound);
    for (const password of ['view', 'master'])
      expect((await readWithPdfium(bytes, password)).pages[0]?.text).toBe('secret page 1');
    for (const password of ['', 'wrong'])
      await expect(readWithPdfium(bytes, password)).rejects.toThrow('a password is needed');
  });

  it('with an empty user password opens for everybody', async () => {
    const bytes = await encrypt(await makeDocument('secret', 1), method, { user: '', owner: 'master' });
    expect((await readWithPdfium(bytes)).pages[0]?.text).toBe('secret page 1');
  });
});

describe('damaged files', () => {
  it('have their text where it can be read', async () => {
    const whole = await makeDocument('A', 2);
    const damaged = { withNulsAfter, withoutTable, withWrongOffsets };
    for (const [name, damage] of Object.entries(damaged)) {
      const texts = await readWithPdfium(damage(whole)).then(
        ({ pages }) => pages.map(({ text }) => text),
        (error: Error) => error.message,
      );
      expect([name, texts]).toEqual([name, ['A page 1', 'A page 2']]);
    }
  });

  it('are found by qpdf', async () => {
    const whole = await makeDocument('A', 2);
    for (const damaged of [
      cutAt(whole),
      withJunkBefore(whole),
      withInvalidRoot(whole),
      withoutCrossReferences(whole),
      withoutTable(whole),
      withWrongOffsets(whole),
    ])
      expect(await checkWithQpdf(damaged)).not.toEqual(sound);
    for (const nothing of [html(), png(), headerOnly()]) expect((await checkWithQpdf(nothing)).errors).not.toEqual([]);
  });
});

describe.each(leakNames)('a page that leaks (%s)', (leak) => {
  it('looks as it would without', async () => {
    const bytes = await makeLeaking('A', leak);
    expect((await checkWithQpdf(bytes)).errors).toEqual([]);
    expect((await readWithPdfium(bytes)).pages[0]?.text).toBe('A page 1');
  });
});
