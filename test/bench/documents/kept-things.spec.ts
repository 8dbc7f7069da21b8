import { makeDocument } from '../../support/documents/make-document.js';
import { makeRichDocument } from '../../support/documents/make-rich-document.js';
import { keptThings, seeDocument } from './kept-things.js';

describe('what a merge keeps', () => {
  it('is everything where nothing was done', async () => {
    const document = await seeDocument(await makeRichDocument('A'));
    expect(keptThings([document], document)).toEqual({
      'Form fields': '6 of 6',
      Outlines: 'A',
      'Named destinations': 'A',
      'Page labels': 'A',
      Attachments: 'A',
      Structure: 'A',
      'Hidden layers': 'A',
      Links: 'A',
    });
  });

  it('is nothing of a document that is not there', async () => {
    const [one, other] = [
      await seeDocument(await makeRichDocument('A')),
      await seeDocument(await makeRichDocument('B')),
    ];
    const kept = keptThings([one, other], one);
    expect(kept['Form fields']).toBe('6 of 12');
    expect(new Set(Object.values(kept).slice(1))).toEqual(new Set(['A']));
  });

  it('is nothing where there are bare pages', async () => {
    const kept = keptThings(
      [await seeDocument(await makeRichDocument('A'))],
      await seeDocument(await makeDocument('A', 3)),
    );
    expect(new Set(Object.values(kept))).toEqual(new Set(['0 of 6', 'none']));
  });

  it('is not a field whose name another has too', async () => {
    const one = await seeDocument(await makeRichDocument('A'));
    const twice = {
      ...one,
      described: { ...one.described, fields: [...one.described.fields, ...one.described.fields] },
    };
    expect(keptThings([one], twice)['Form fields']).toBe('0 of 6');
  });
});
