import { revisionStarts } from './revision-starts.js';

/** A file of revisions of which each has a table or a stream of cross-references that leads to the one before. */
function fileOf(kinds: readonly ('table' | 'stream')[], previousOf: (starts: number[]) => number | undefined) {
  let text = '%PDF-1.5\n';
  const starts: number[] = [];
  for (const kind of kinds) {
    const previous = previousOf(starts);
    const entry = previous === undefined ? '' : `/Prev ${previous}`;
    text += '1 0 obj\nnull\nendobj\n';
    starts.push(text.length);
    text +=
      kind === 'table'
        ? `xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1${entry}>>\n`
        : `2 0 obj\n<</Type/XRef${entry}/Length 0>>\nstream\n\nendstream\nendobj\n`;
    text += `startxref\n${starts.at(-1)}\n%%EOF\n`;
  }
  return { bytes: Buffer.from(text), starts };
}

describe('revisionStarts', () => {
  it('leads from the last cross-reference back to the first', () => {
    const { bytes, starts } = fileOf(['table', 'stream', 'table'], (before) => before.at(-1));
    expect(revisionStarts(bytes)).toEqual(starts.slice(0, -1));
  });

  it('has none in a file of one revision, or without a cross-reference', () => {
    expect(revisionStarts(fileOf(['table'], () => undefined).bytes)).toEqual([]);
    expect(revisionStarts(Buffer.from('%PDF-1.4\n'))).toEqual([]);
  });

  it('has none in a file whose trailers lead in a circle or forwards', () => {
    expect(revisionStarts(fileOf(['table', 'table'], () => 1_000_000).bytes)).toEqual([]);
    const { bytes, starts } = fileOf(['stream'], () => 29);
    expect(starts).toEqual([29]);
    expect(revisionStarts(bytes)).toEqual([]);
  });
});
