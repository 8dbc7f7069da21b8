import { rewrite } from './make-encrypted.js';

/** The same document with object streams and a cross-reference stream (PDF 1.5). Row 24 of the research. */
export async function withObjectStreams(bytes: Uint8Array): Promise<Uint8Array> {
  return rewrite(bytes, ['--static-id', '--object-streams=generate']);
}

/** The same document, linearized, with object streams or without. Row 24. */
export async function linearized(bytes: Uint8Array, objectStreams = false): Promise<Uint8Array> {
  const streams = `--object-streams=${objectStreams ? 'generate' : 'disable'}`;
  return rewrite(bytes, ['--static-id', '--linearize', streams]);
}

/** A page whose font stands in an object stream, which only the stream of a hybrid file leads to (ISO 32000-1, 7.5.8.4). Row 24. */
export function makeHybrid(): Uint8Array {
  const content = 'BT /F1 14 Tf 30 350 Td (hybrid page 1) Tj ET';
  const hidden = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
  const header = '6 0 ';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<</Font<</F1 6 0 R>>>>>>',
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    `<</Type/ObjStm/N 1/First ${header.length}/Length ${header.length + hidden.length}>>\nstream\n${header}${hidden}\nendstream`,
  ];
  let file = '%PDF-1.5\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const streamOffset = file.length;
  // One entry: object 6 is the first of the stream that object 5 is.
  const entries = '02 0005 00>';
  const keys = `/Type/XRef/Size 8/W[1 2 1]/Index[6 1]/Root 1 0 R/Filter/ASCIIHexDecode/Length ${entries.length}`;
  file += `7 0 obj\n<<${keys}>>\nstream\n${entries}\nendstream\nendobj\n`;
  const table = file.length;
  const lines = [
    '0000000006 65535 f ',
    ...offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n `),
    '0000000000 00001 f ',
    `${String(streamOffset).padStart(10, '0')} 00000 n `,
  ];
  file += `xref\n0 8\n${lines.join('\n')}\ntrailer\n<</Size 8/Root 1 0 R/XRefStm ${streamOffset}>>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
