import { responseExcerpt } from './response-excerpt.js';

describe('the kept beginning of an answer', () => {
  it('is the text itself when it is short, over the borders of chunks', () => {
    const bytes = Buffer.from('naïve 🎉');
    expect(responseExcerpt([bytes.subarray(0, 3), bytes.subarray(3)])).toBe('naïve 🎉');
    expect(responseExcerpt([])).toBe('');
  });

  it('has no U+0000, which Postgres cannot store', () => {
    expect(responseExcerpt([Buffer.from('a\0b')])).toBe('ab');
  });

  it('is at most 16 KiB and never ends within a character', () => {
    const text = responseExcerpt([Buffer.from(`a${'🎉'.repeat(10_000)}`)]);
    expect(text).toMatch(/^a(🎉)+$/u);
    expect(Buffer.byteLength(text)).toBe(16 * 1024 - 3);
  });

  it('is at most 16 KiB when its bytes are no text at all', () => {
    const text = responseExcerpt([Buffer.alloc(50_000, 0xff)]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
    expect(text).toMatch(/^\ufffd+$/);
  });
});
