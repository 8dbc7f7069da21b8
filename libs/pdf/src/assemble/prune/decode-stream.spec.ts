import { deflateSync } from 'node:zlib';
import { PDFContext, PDFRawStream } from 'pdf-lib';
import { decodeStream } from './decode-stream.js';

type Entries = Readonly<Record<string, string | number | readonly string[] | Readonly<Record<string, number>>>>;

const text = 'q /Im1 Do Q';

function stream(bytes: Uint8Array | string, entries: Entries = {}): PDFRawStream {
  const dict = PDFContext.create().obj({ ...entries } as Record<string, string>);
  return PDFRawStream.of(dict, Buffer.from(bytes));
}

function decoded(bytes: Uint8Array | string, entries: Entries = {}, most = 1_000): string | null {
  const found = decodeStream(stream(bytes, entries), most);
  return found === null ? null : Buffer.from(found).toString('latin1');
}

describe('a stream', () => {
  it('is decoded by one filter after the other', () => {
    const hex = (bytes: Uint8Array): string => `${Buffer.from(bytes).toString('hex')}>`;
    expect(decoded(text)).toBe(text);
    expect(decoded(deflateSync(text), { Filter: 'FlateDecode' })).toBe(text);
    expect(decoded(deflateSync(text), { Filter: ['FlateDecode'] })).toBe(text);
    expect(decoded(hex(deflateSync(text)), { Filter: ['ASCIIHexDecode', 'FlateDecode'] })).toBe(text);
    expect(decoded('\x0bq /Im1 Do Q\x80', { Filter: 'RunLengthDecode' })?.slice(0, 11)).toBe(
      'q /Im1 Do Q'.slice(0, 11),
    );
    expect(decoded('87cUR~>', { Filter: 'ASCII85Decode' })).toBe('Hell');
  });

  it('is decoded without the end of its checksum', () => {
    const packed = deflateSync(text);
    expect(decoded(packed.subarray(0, packed.length - 1), { Filter: 'FlateDecode' })).toBe(text);
  });

  it.each([
    ['of an unknown filter', text, { Filter: 'DCTDecode' }],
    ['of a filter that is no name', text, { Filter: 7 }],
    ['of five filters', text, { Filter: Array.from({ length: 5 }, () => 'ASCIIHexDecode') }],
    ['with a predictor', deflateSync(text), { Filter: 'FlateDecode', DecodeParms: { Predictor: 12 } }],
    ['that breaks off', deflateSync(text.repeat(9)).subarray(0, 12), { Filter: 'FlateDecode' }],
    ['that is not deflated', text, { Filter: 'FlateDecode' }],
  ])('%s is not decoded', (_what, bytes, entries) => {
    expect(decoded(bytes, entries)).toBeNull();
  });

  it('is not decoded beyond its bound, nor between two filters', () => {
    const packed = deflateSync(Buffer.alloc(100_000));
    expect(decoded(packed, { Filter: 'FlateDecode' }, 99_999)).toBeNull();
    expect(decoded(packed, { Filter: 'FlateDecode' }, 100_000)).toHaveLength(100_000);
    const blanks = deflateSync(Buffer.alloc(100_000, ' '));
    expect(decoded(blanks, { Filter: ['FlateDecode', 'ASCIIHexDecode'] }, 99_999)).toBeNull();
    expect(decoded('zzzzzzzz~>', { Filter: 'ASCII85Decode' }, 31)).toBeNull();
    expect(decoded('\x81a'.repeat(10), { Filter: 'RunLengthDecode' }, 100)).toBeNull();
  });
});
