import { constants, deflateSync } from 'node:zlib';
import { PDFContext, PDFRawStream } from 'pdf-lib';
import type { Decoding } from './decode-stream.js';
import { decodeStream } from './decode-stream.js';

type Entries = Readonly<Record<string, string | number | readonly string[] | Readonly<Record<string, number>>>>;

const text = 'q /Im1 Do Q';

function stream(bytes: Uint8Array | string, entries: Entries = {}): PDFRawStream {
  const dict = PDFContext.create().obj({ ...entries } as Record<string, string>);
  return PDFRawStream.of(dict, Buffer.from(bytes));
}

function decoded(
  bytes: Uint8Array | string,
  entries: Entries = {},
  mostBytes = 1_000,
  damaged: Decoding['damaged'] = 'refuse',
): string | null {
  const found = decodeStream(stream(bytes, entries), { mostBytes, damaged });
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

  it('that is damaged is decoded up to its damage where that is kept', () => {
    const keep = (bytes: Uint8Array | string, entries: Entries): string | null =>
      decoded(bytes, entries, 1_000_000, 'keep');
    const packed = deflateSync(text.repeat(9));
    const hex = packed.toString('hex');
    const damagedLater = Buffer.concat([
      deflateSync(text, { finishFlush: constants.Z_FULL_FLUSH }),
      Buffer.alloc(9, 7),
    ]);
    expect(keep(packed.subarray(0, -6), { Filter: 'Fl' })).toMatch(/^q .Im1 Do Q/);
    expect(keep(damagedLater, { Filter: 'FlateDecode' })).toBe(text);
    expect(keep(`${hex.slice(0, -12)}>`, { Filter: ['ASCIIHexDecode', 'FlateDecode'] })).toMatch(/^q .Im1 Do Q/);
    expect(keep(text, { Filter: 'FlateDecode' })).toBeNull();
    expect(keep(text, { Filter: 'DCTDecode' })).toBeNull();
    expect(keep(packed, { Filter: 'FlateDecode', DecodeParms: { Predictor: 12 } })).toBeNull();
    expect(keep(deflateSync(Buffer.alloc(1_000_001)), { Filter: 'FlateDecode' })).toBeNull();
    expect(keep(`${'z'.repeat(250_001)}~>`, { Filter: 'ASCII85Decode' })).toBeNull();
  });
});
