import type { PDFHexString } from 'pdf-lib';
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFNumber, type PDFObject, PDFString } from 'pdf-lib';
import { checkWithQpdf, sound } from '../../../../../test/support/documents/check-with-qpdf.js';
import { type DescribedDocument, describeDocument } from '../../../../../test/support/documents/describe-document.js';
import { makeDocument } from '../../../../../test/support/documents/make-document.js';
import { addStructure } from '../../../../../test/support/documents/make-structure.js';
import { readWithPdfium } from '../../../../../test/support/documents/read-with-pdfium.js';
import type { Source } from '../../document/open/source.js';
import { listPages } from '../../document/page-tree/list-pages.js';
import { beginAssembly } from '../begin-assembly.js';

const mostPages = 1_000;

async function sourceOf(bytes: Uint8Array, change?: (document: PDFDocument) => void): Promise<Source> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false });
  change?.(document);
  return { document, pages: listPages(document, mostPages).pages, warnings: [], input: 0, name: 'source.pdf' };
}

const tagged = async (name: string, pages: number) => sourceOf(await makeDocument(name, pages, addStructure()));
const untagged = async () => sourceOf(await makeDocument('plain', 1));

/** What comes of pages (all without a list) of these sources, and the warnings. */
async function assembled(...parts: (readonly [Source, number[]?])[]) {
  const assembly = await beginAssembly();
  for (const [source, pages] of parts) assembly.add(source, pages ?? [...source.pages.keys()]);
  const warnings = assembly.finish();
  const bytes = await assembly.document.save({ addDefaultPage: false });
  expect(await checkWithQpdf(bytes)).toEqual(sound);
  return { warnings, document: assembly.document, described: await describeDocument(bytes), bytes };
}

function structureOf({ structure }: DescribedDocument): NonNullable<DescribedDocument['structure']> {
  if (structure === null) throw new Error('the document is not tagged');
  return structure;
}

/** The elements of a document with their entries. */
function elementsOf({ context }: PDFDocument): PDFDict[] {
  return context
    .enumerateIndirectObjects()
    .map(([, object]) => object)
    .filter((object): object is PDFDict => object instanceof PDFDict && object.has(PDFName.of('P')))
    .filter((dict) => dict.has(PDFName.of('S')));
}

describe('the tagged structure', () => {
  it('of all sources comes along, and every page finds its elements', async () => {
    const { described, warnings, bytes } = await assembled([await tagged('a', 2)], [await tagged('b', 3)]);
    expect(warnings).toEqual([]);
    expect(structureOf(described)).toMatchObject({ isMarked: true, unresolvedPages: [] });
    const document = ['Document', 'Chapter', 'P', 'Chapter', 'P', 'Link'];
    expect(structureOf(described).types).toEqual([...document, ...document.slice(0, 5), 'Chapter', 'P', 'Link']);
    expect((await readWithPdfium(bytes)).isTagged).toBe(true);
  });

  it('of a part has the elements of its pages and no others', async () => {
    const source = await tagged('a', 5);
    const { described, document } = await assembled([source, [3, 1]]);
    expect(structureOf(described).types).toEqual(['Document', 'Chapter', 'P', 'Chapter', 'P']);
    expect(structureOf(described).unresolvedPages).toEqual([]);
    expect(elementsOf(document)).toHaveLength(5);
  });

  it('of a page that is taken twice is there twice', async () => {
    const { described } = await assembled([await tagged('a', 2), [1, 1]]);
    expect(structureOf(described).types).toEqual(['Document', 'Chapter', 'P', 'Document', 'Chapter', 'P']);
    expect(structureOf(described).unresolvedPages).toEqual([]);
  });

  it('is kept beside pages without one, with a warning, and the document does not call itself tagged', async () => {
    const { described, warnings } = await assembled([await tagged('a', 1)], [await untagged()]);
    expect(warnings).toEqual(['structure_partial']);
    expect(structureOf(described)).toMatchObject({ isMarked: false, unresolvedPages: [1] });
  });

  it('is not there when no source has one', async () => {
    const { described, warnings } = await assembled([await untagged()], [await untagged()]);
    expect(described.structure).toBeNull();
    expect(warnings).toEqual([]);
  });

  it('gives a role, a class or an id that means something else in a later source another name', async () => {
    const naming = (role: string, colour: number) => (document: PDFDocument) => {
      const root = document.catalog.lookup(PDFName.of('StructTreeRoot'), PDFDict);
      root.set(PDFName.of('RoleMap'), document.context.obj({ Chapter: role }));
      root.set(PDFName.of('ClassMap'), document.context.obj({ Plain: { O: 'Layout', Colour: colour } }));
      for (const element of elementsOf(document)) {
        if (element.get(PDFName.of('S')) !== PDFName.of('P')) continue;
        element.set(PDFName.of('C'), PDFName.of('Plain'));
        element.set(PDFName.of('ID'), PDFString.of('head'));
        element.set(PDFName.of('A'), document.context.obj({ O: 'Table', Headers: [PDFString.of('head')] }));
      }
    };
    const bytes = await makeDocument('a', 1, addStructure());
    const { document, described } = await assembled(
      [await sourceOf(bytes, naming('Sect', 1))],
      [await sourceOf(bytes, naming('Part', 2))],
      [await sourceOf(bytes, naming('Sect', 1))],
    );
    expect(structureOf(described).types.filter((type) => type.startsWith('Chapter'))).toEqual([
      'Chapter',
      'Chapter_2',
      'Chapter',
    ]);
    const paragraphs = elementsOf(document).filter((element) => element.has(PDFName.of('ID')));
    const textOf = (object: PDFObject | undefined) => (object as PDFString | PDFHexString).decodeText();
    expect(paragraphs.map((element) => textOf(element.get(PDFName.of('ID'))))).toEqual(['head', 'head_2', 'head_3']);
    expect(
      paragraphs.map((element) => {
        const attributes = element.lookup(PDFName.of('A'), PDFDict);
        return textOf(attributes.lookup(PDFName.of('Headers'), PDFArray).get(0));
      }),
    ).toEqual(['head', 'head_2', 'head_3']);
    expect(paragraphs.map((element) => String(element.get(PDFName.of('C'))))).toEqual(['/Plain', '/Plain_2', '/Plain']);
  });

  it('with loops, or of things of other types, is carried as far as it makes sense', async () => {
    const looping = await sourceOf(await makeDocument('a', 2, addStructure()), (document) => {
      const root = document.catalog.lookup(PDFName.of('StructTreeRoot'), PDFDict);
      root.set(PDFName.of('ParentTree'), PDFNumber.of(1));
      root.set(PDFName.of('RoleMap'), PDFName.of('Nothing'));
      const [first] = elementsOf(document);
      first?.set(PDFName.of('K'), document.context.obj([PDFNumber.of(0), PDFName.of('x')]));
    });
    const assembly = await beginAssembly();
    assembly.add(looping, [1]);
    expect(assembly.finish()).toEqual([]);
  });
});
