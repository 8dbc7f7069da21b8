import { readFileSync } from 'node:fs';
import { PDFDocument, PDFName } from 'pdf-lib';
import { tableBelow } from '../../../../../test/support/markdown-table.js';
import { documentWarnings, editWarningsOf, warningsOf } from './document-warnings.js';

describe('the warnings of a document', () => {
  it('are in docs/errors.md with what they mean', () => {
    const markdown = readFileSync(new URL('../../../../../docs/errors.md', import.meta.url), 'utf8');
    const rows = Object.entries(documentWarnings).map(([warning, meaning]) => [`\`${warning}\``, meaning]);
    expect(tableBelow(markdown, '## Warnings')).toEqual(rows);
    expect(rows.filter(([, meaning]) => !meaning?.endsWith('.'))).toEqual([]);
  });

  it('tell of what pages do not carry along, and of signatures alone where a document is worked on in place', async () => {
    const document = await PDFDocument.create();
    const { catalog, context } = document;
    expect(warningsOf(document)).toEqual([]);
    catalog.set(PDFName.of('AcroForm'), context.obj({ SigFlags: 3, XFA: [] }));
    catalog.set(PDFName.of('OpenAction'), context.obj({ S: 'JavaScript' }));
    expect(warningsOf(document)).toEqual(['signature_invalidated', 'xfa_dropped', 'scripts_dropped']);
    expect(editWarningsOf(document)).toEqual(['signature_invalidated']);
  });

  it('take entries of a wrong type for none', async () => {
    const document = await PDFDocument.create();
    const { catalog, context } = document;
    catalog.set(PDFName.of('AcroForm'), context.obj({ SigFlags: 'Three' }));
    for (const key of ['OpenAction', 'Names']) catalog.set(PDFName.of(key), context.obj([key]));
    expect(warningsOf(document)).toEqual([]);
  });
});
