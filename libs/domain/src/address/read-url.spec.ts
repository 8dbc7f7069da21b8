import { readUrl } from './read-url.js';

describe('a URL', () => {
  it('is read alike the first time and the hundred thousandth', () => {
    const hosts = new Set<string | undefined>();
    for (let time = 0; time < 100_000; time += 1) hosts.add(readUrl('https://BÜCHER.example/')?.host);
    expect([...hosts]).toEqual(['xn--bcher-kva.example']);
  });

  it('is read from where a base says, and null when it is none', () => {
    expect(readUrl('/b', 'https://example.com/a')?.href).toBe('https://example.com/b');
    expect([readUrl('/b'), readUrl('https://'), readUrl('')]).toEqual([null, null, null]);
  });
});
