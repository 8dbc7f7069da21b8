import { contentSha256, contentSizeBytes, contentStart } from './content-facts.js';

describe('what an answer says of its content', () => {
  const sha256 = 'ab'.repeat(32);

  it('is where it begins', () => {
    const start = (value: string) => contentStart(new Headers({ 'content-range': value }));
    expect(['bytes 0-9/10', 'bytes 7-9/*', 'bytes */10', 'lines 1-2/3', ''].map(start)).toEqual([
      0,
      7,
      null,
      null,
      null,
    ]);
  });

  it('is its hash, when its tag is one', () => {
    const hash = (value: string) => contentSha256(new Headers({ etag: value }));
    expect([`"${sha256}"`, `W/"${sha256}"`, '"abc"', sha256].map(hash)).toEqual([sha256, null, null, null]);
  });

  it('is its size', () => {
    expect(contentSizeBytes(new Headers({ 'content-length': '12' }))).toBe(12);
    expect(contentSizeBytes(new Headers())).toBeNull();
  });
});
