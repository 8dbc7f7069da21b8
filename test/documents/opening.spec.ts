import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { PDFDocument } from 'pdf-lib';
import { openDocument } from '../../libs/pdf/src/document/open/open-document.js';
import { parseDocument } from '../../libs/pdf/src/document/open/parse-document.js';
import type { Source } from '../../libs/pdf/src/document/open/source.js';
import { normaliseDocument } from '../../libs/pdf/src/normalise/normalise-document.js';
import { checkWithQpdf, sound } from '../support/documents/check-with-qpdf.js';
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
import { makeDocument } from '../support/documents/make-document.js';
import { encrypt, type EncryptionMethod, encryptionMethods } from '../support/documents/make-encrypted.js';
import { makeForm } from '../support/documents/make-form.js';
import { makeRichDocument } from '../support/documents/make-rich-document.js';
import { linearized, makeHybrid, withObjectStreams } from '../support/documents/make-variants.js';
import { readWithPdfium } from '../support/documents/read-with-pdfium.js';
import { endlessPageTreePdf } from '../support/pdf-samples.js';

let directory: string;
let files = 0;
const printed: unknown[] = [];
const { warn, error } = console;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'opening-'));
  console.warn = (...line: unknown[]) => void printed.push(line);
  console.error = console.warn;
});

afterAll(async () => {
  Object.assign(console, { warn, error });
  await rm(directory, { recursive: true, force: true });
});

afterEach(() => {
  expect(printed.splice(0)).toEqual([]);
});

interface Limits {
  readonly password?: string | null;
  readonly maxPages?: number;
}

async function open(bytes: Uint8Array, { password = null, maxPages = 1_000 }: Limits = {}): Promise<Source> {
  files += 1;
  const path = join(directory, `${files}.pdf`);
  await writeFile(path, bytes);
  return openDocument({ path, name: 'a.pdf', password, pages: null }, 0, { pagesBefore: 0, maxPages });
}

/** What PDFium sees in it once it is written again. */
async function textsOf({ document }: { readonly document: PDFDocument }): Promise<string[]> {
  return textsIn(await document.save({ updateFieldAppearances: false, addDefaultPage: false }));
}

async function textsIn(bytes: Uint8Array, password = ''): Promise<string[]> {
  return (await readWithPdfium(bytes, password)).pages.map(({ text }) => text.trim());
}

async function expectFailure(bytes: Uint8Array, failure: object, limits: Limits = {}): Promise<void> {
  await expect(open(bytes, limits)).rejects.toMatchObject({ failure: { input: 0, ...failure } });
}

const texts = ['Potato page 1', 'Potato page 2'];
const potato = (): Promise<Uint8Array> => makeDocument('Potato', 2);

describe('an encrypted document', () => {
  it.each(encryptionMethods)('opens by itself with an empty user password, %s (row 13)', async (method) => {
    const opened = await open(await encrypt(await potato(), method, { user: '', owner: 'master' }));
    expect(opened.warnings).toEqual(['decrypted']);
    expect(await textsOf(opened)).toEqual(texts);
  });

  it.each(encryptionMethods)(
    'opens with its user and its owner password and with no other, %s (row 14)',
    async (method) => {
      const bytes = await encrypt(await potato(), method, { user: 'view', owner: 'master' });
      for (const password of ['view', 'master']) {
        const opened = await open(bytes, { password });
        expect(opened.warnings).toEqual(['decrypted']);
        expect(await textsOf(opened)).toEqual(texts);
      }
      await expectFailure(bytes, { code: 'password_required', message: 'Input 0 is encrypted and needs a password.' });
      await expectFailure(bytes, { code: 'password_required' }, { password: '' });
      await expectFailure(
        bytes,
        { code: 'password_invalid', message: 'The password of input 0 does not open it.' },
        { password: 'no' },
      );
    },
  );

  it('opens with a password outside ASCII, in the encoding of its time', async () => {
    const method: EncryptionMethod[] = ['rc4-128', 'aes-256'];
    for (const each of method) {
      const bytes = await encrypt(await potato(), each, { user: 'öffne dich', owner: 'x' });
      expect((await open(bytes, { password: 'öffne dich' })).pages).toHaveLength(2);
    }
  });

  it('that needs no password opens with any', async () => {
    const bytes = await encrypt(await potato(), 'aes-256', { user: '', owner: 'master' });
    expect((await open(bytes, { password: 'whatever' })).pages).toHaveLength(2);
  });

  it('without a length in its dictionary opens (row 16)', async () => {
    const bytes = await encrypt(await potato(), 'rc4-40', { user: '', owner: 'master' });
    const text = Buffer.from(bytes).toString('latin1');
    const without = text.replace(/(\/Filter ?\/Standard ?)\/Length 40/, (_, head: string) =>
      head.padEnd(head.length + 10),
    );
    expect(/\/Length 40\b/.test(without)).toBe(false);
    expect(await textsOf(await open(Buffer.from(without, 'latin1')))).toEqual(texts);
  });

  it('of which the attachments alone are encrypted needs the password as well (row 17)', async () => {
    const bytes = await encrypt(await makeRichDocument('A'), 'aes-256', { user: 'attachment', owner: 'master' });
    await expectFailure(bytes, { code: 'password_required' });
    const opened = await open(bytes, { password: 'attachment' });
    const reading = await readWithPdfium(await opened.document.save({ updateFieldAppearances: false }));
    expect(reading.attachments.map(({ bytes: content }) => Buffer.from(content).toString())).toContain('notes of A');
  });

  it('with a handler that is not supported is refused by its name', async () => {
    const bytes = await encrypt(await potato(), 'rc4-128', { user: '', owner: 'master' });
    const text = Buffer.from(bytes).toString('latin1').replace('/Standard', '/Tandards');
    await expectFailure(Buffer.from(text, 'latin1'), {
      code: 'unsupported_feature',
      message: expect.stringContaining('the encryption Filter /Tandards'),
    });
  });

  it('that is damaged as well is repaired and decrypted', async () => {
    const bytes = await encrypt(await potato(), 'aes-256', { user: 'view', owner: 'master' });
    const damaged = withWrongOffsets(bytes);
    await expectFailure(damaged, { code: 'password_required' });
    const opened = await open(damaged, { password: 'view' });
    expect(opened.warnings).toEqual(['repaired', 'decrypted']);
    expect(await textsOf(opened)).toEqual(texts);
  });

  it('is what a password is for: with any other document it is ignored', async () => {
    expect((await open(await potato(), { password: 'view' })).warnings).toEqual([]);
  });
});

describe('a damaged document', () => {
  it.each([
    ['has no cross-references and no trailer', withoutCrossReferences],
    ['has no table of cross-references', withoutTable],
    ['has a root that is not there', withInvalidRoot],
    ['has a table that leads elsewhere', withWrongOffsets],
    ['ends before the place of its cross-reference', (bytes: Uint8Array) => upTo(bytes, 'startxref')],
    ['ends within its trailer', (bytes: Uint8Array) => upTo(bytes, 'trailer\n<<')],
  ])('is repaired with a warning where it %s (row 18)', async (_, damage) => {
    const opened = await open(damage(await potato()));
    expect(opened.warnings).toEqual(['repaired']);
    expect(await textsOf(opened)).toEqual(texts);
    expect(await checkWithQpdf(await opened.document.save())).toEqual(sound);
  });

  it('that was cut is repaired with a warning, or corrupt (row 20)', async () => {
    for (const bytes of [await makeDocument('Potato', 20), await withObjectStreams(await makeDocument('Potato', 20))]) {
      for (const share of [0.2, 0.4, 0.6, 0.8, 0.99]) {
        const result = await open(cutAt(bytes, share)).catch((thrown: unknown) => thrown);
        if (result instanceof Error) expect(result).toMatchObject({ failure: { code: 'corrupt_document' } });
        else expect(result).toMatchObject({ warnings: ['repaired'] });
      }
    }
  });

  it.each([
    ['not_a_pdf', 'nothing', () => Buffer.from('')],
    ['not_a_pdf', 'a page of the web', html],
    ['not_a_pdf', 'a picture', png],
    ['corrupt_document', 'a header alone', headerOnly],
  ])('is %s where it is %s (row 21)', async (code, _, content) => {
    await expectFailure(content(), { code, message: expect.stringMatching(/^Input 0 is (not a PDF|damaged)[^']*\.$/) });
  });

  it.each([
    ['a page tree that is its own child', endlessPageTreePdf()],
    ['a page tree that is a number', rawPdf('<</Type/Catalog/Pages 2 0 R>>', '12')],
    ['a catalog without pages', rawPdf('<</Type/Catalog>>')],
    ['a root that is an array', rawPdf('[1 2 3]')],
    [
      'a page tree of which the children are none',
      rawPdf('<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids 7/Count 1>>'),
    ],
  ])('is corrupt where it has %s (row 22)', async (_, bytes) => {
    await expectFailure(bytes, { code: 'corrupt_document', message: expect.stringMatching(/^Input 0 is damaged/) });
  });

  it('keeps the pages that its page tree has besides what is none', async () => {
    const pages = '<</Type/Pages/Kids[3 0 R 2 0 R 9 0 R 12]/Count 4>>';
    const opened = await open(
      rawPdf('<</Type/Catalog/Pages 2 0 R>>', pages, '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>'),
    );
    expect(opened.pages).toHaveLength(1);
    expect(opened.warnings).toEqual(['repaired']);
  });
});

describe('a document that is only unusual', () => {
  it('opens without a warning after 2,000 other bytes, and before 5,000 zeros (row 19)', async () => {
    for (const bytes of [withJunkBefore(await potato()), withNulsAfter(await potato())]) {
      const opened = await open(bytes);
      expect(opened.warnings).toEqual([]);
      expect(await textsOf(opened)).toEqual(texts);
    }
  });

  it.each<[string, (bytes: Uint8Array) => Promise<Uint8Array>]>([
    ['has object streams', withObjectStreams],
    ['is linearized', (bytes) => linearized(bytes)],
    ['is linearized and has object streams', (bytes) => linearized(bytes, true)],
    ['was encrypted', (bytes) => encrypt(bytes, 'aes-128', { user: '', owner: 'x' })],
  ])('has equal pages and text where it %s (row 24)', async (_, change) => {
    const [plain, changed] = [await makeRichDocument('A'), await change(await makeRichDocument('A'))];
    const opened = await open(changed);
    expect(opened.warnings.filter((warning) => warning !== 'decrypted')).toEqual([]);
    expect(await textsOf(opened)).toEqual(await textsIn(plain));
  });

  it('has all objects where it is a hybrid (row 24)', async () => {
    const opened = await open(makeHybrid());
    expect(opened.warnings).toEqual([]);
    expect(await textsOf(opened)).toEqual(['hybrid page 1']);
  });

  it('shows its newest revision', async () => {
    const first = Buffer.concat([await makeDocument('Old', 1), Buffer.from('\n')]);
    const at = first.lastIndexOf('startxref');
    const previous = Number(
      first
        .toString('latin1', at + 9)
        .trim()
        .split(/\s/)[0],
    );
    const content = 'BT /Helvetica 12 Tf 30 350 Td (New page 1) Tj ET';
    const reference = /\/Contents \[? ?(\d+) 0 R/.exec(first.toString('latin1'))?.[1] ?? '';
    const root = /\/Root \d+ 0 R/.exec(first.toString('latin1'))?.[0] ?? '';
    const object = `${reference} 0 obj\n<</Length ${content.length}>>\nstream\n${content}\nendstream\nendobj\n`;
    const table = `xref\n${reference} 1\n${String(first.length).padStart(10, '0')} 00000 n \n`;
    const trailer = `trailer\n<</Size 6${root}/Prev ${previous}>>\nstartxref\n${first.length + object.length}\n%%EOF\n`;
    const opened = await open(Buffer.concat([first, Buffer.from(`${object}${table}${trailer}`)]));
    expect(opened.warnings).toEqual([]);
    expect((await textsOf(opened)).join()).not.toContain('Old');
  });

  it('finds the end of a stream by its length, though the length comes later and the stream has words of a file in it', async () => {
    const content = 'BT /F1 12 Tf 9 90 Td (stream endstream endobj 1 0 obj) Tj ET';
    const opened = await open(
      rawPdf(
        '<</Type/Catalog/Pages 2 0 R>>',
        '<</Type/Pages/Kids[3 0 R]/Count 1>>',
        '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 100]/Contents 4 0 R/Resources<</Font<</F1 6 0 R>>>>>>',
        `<</Length 5 0 R>>\nstream\n${content}\nendstream`,
        String(content.length),
        '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
      ),
    );
    expect(opened.warnings).toEqual([]);
    expect(await textsOf(opened)).toEqual(['stream endstream endobj 1 0 obj']);
  });

  it.each([
    ['a rich document', () => makeRichDocument('A')],
    ['a form', () => makeForm('A')],
    ['a hybrid', async () => makeHybrid()],
  ])('is read alike directly and rewritten: %s', async (_, make) => {
    const bytes = Buffer.from(await make());
    const normalised = await normaliseDocument(bytes, { password: null, mayBeEncrypted: false });
    if (normalised.outcome !== 'rewritten') throw new Error(normalised.outcome);
    const [direct, rewritten] = [await parseDocument(bytes), await parseDocument(normalised.bytes)];
    expect(rewritten.isSound).toBe(true);
    expect(await textsOf(rewritten)).toEqual(await textsOf(direct));
    const readings = await Promise.all(
      [direct, rewritten].map(async ({ document }) =>
        readWithPdfium(await document.save({ updateFieldAppearances: false })),
      ),
    );
    expect(readings[1]).toEqual(readings[0]);
  });

  it('is rewritten to the same bytes each time', async () => {
    const bytes = Buffer.from(await encrypt(await potato(), 'aes-256', { user: '', owner: 'x' }));
    const [one, other] = [await open(bytes), await open(bytes)];
    expect(await one.document.save()).toEqual(await other.document.save());
  });
});

describe('a hostile document', () => {
  it.each([
    ['claims fields of two billion bytes', '/W[1 2000000000 1]/Size 4'],
    ['claims two billion entries', '/W[1 2 1]/Index[0 2000000000]/Size 4'],
    ['claims a size of two billion', '/W[1 2 1]/Size 2000000000'],
    ['claims entries of no bytes', '/W[0 0 0]/Index[0 2000000000]/Size 4'],
  ])('does not hold up the reading where its cross-reference %s', async (_, entries) => {
    for (const type of ['/Type/XRef', '/#54ype/X#52ef', '/Type 5 0 R']) {
      const opened = await open(
        rawPdf(
          '<</Type/Catalog/Pages 2 0 R>>',
          '<</Type/Pages/Kids[3 0 R]/Count 1>>',
          '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
          '(nothing)',
          '/XRef',
          `<<${type}${entries}/Root 1 0 R/Length 4>>\nstream\nabcd\nendstream`,
        ),
      );
      expect(opened.pages).toHaveLength(1);
    }
  });

  it('is refused where its object streams inflate without an end', async () => {
    const packed = deflateSync(Buffer.alloc(100 * 2 ** 20, ' '), { level: 1 }).toString('latin1');
    for (const type of ['/Type/ObjStm', '/Type/Obj#53tm']) {
      const bomb = `<<${type}/N 1/First 10/Filter/FlateDecode/Length ${packed.length}>>\nstream\n${packed}\nendstream`;
      await expectFailure(rawPdf('<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 0>>', bomb), {
        code: 'limit_exceeded',
        limit: { name: 'object_streams', allowed: 64 * 2 ** 20, actual: null },
      });
    }
  });

  it('is read to its end where a page tree has ten million leaves by using ten nodes over and over', async () => {
    const levels = Array.from(
      { length: 7 },
      (_, level) => `<</Type/Pages/Count 10/Kids[${`${level + 3} 0 R `.repeat(10)}]>>`,
    );
    const page = '<</Type/Page/Parent 8 0 R/MediaBox[0 0 9 9]>>';
    const opened = await open(rawPdf('<</Type/Catalog/Pages 2 0 R>>', ...levels, page));
    expect(opened.pages).toHaveLength(1);
    expect(opened.warnings).toEqual(['repaired']);
  });

  it('is refused where it has more pages than are allowed', async () => {
    await expectFailure(
      await potato(),
      { code: 'limit_exceeded', limit: { name: 'MAX_PAGES', allowed: 1, actual: 2 } },
      { maxPages: 1 },
    );
  });
});

/** The bytes to the end of the last such word. */
function upTo(bytes: Uint8Array, word: string): Uint8Array {
  return bytes.subarray(0, Buffer.from(bytes).lastIndexOf(word) + word.length);
}

/** A file of these objects, with a table that is right. */
function rawPdf(...objects: readonly string[]): Buffer {
  let file = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<</Root 1 0 R/Size ${size}>>\n`;
  return Buffer.from(`${file}${table}startxref\n${file.length}\n%%EOF\n`, 'latin1');
}
