import { compareFingerprint, fingerprint, type FingerprintBody, type FingerprintPart } from './fingerprint.js';

const of = (body: FingerprintBody, query = '') => fingerprint({ method: 'POST', route: '/v1/jobs', query, body });
const json = (text: string) => of({ kind: 'json', json: JSON.parse(text) as unknown });
const multipart = (...parts: FingerprintPart[]) => of({ kind: 'multipart', parts });
const file = (fileName: string, sha256: string): FingerprintPart => ({
  field: 'files',
  value: { kind: 'file', fileName, sha256 },
});
const operation: FingerprintPart = { field: 'operation', value: { kind: 'text', text: 'merge' } };

describe('fingerprint', () => {
  it('ignores key order, white space, escapes and number spelling (contract 1.5)', () => {
    expect(json('{"b":[1,2],"a":{"d":1.0,"c":"\\u00e9"}}')).toBe(json('{ "a": {"c":"é","d":1e0}, "b": [1,2] }'));
  });

  it('counts array order, values and the query (contract 1.5)', () => {
    expect(json('{"a":[1,2]}')).not.toBe(json('{"a":[2,1]}'));
    expect(json('{"a":1}')).not.toBe(json('{"a":"1"}'));
    expect(of({ kind: 'none' }, 'a=1')).not.toBe(of({ kind: 'none' }));
  });

  it('ignores the order of different multipart fields and counts that of repeated ones (contract 1.5)', () => {
    expect(multipart(operation, file('a.pdf', '1'), file('b.pdf', '2'))).toBe(
      multipart(file('a.pdf', '1'), file('b.pdf', '2'), operation),
    );
    expect(multipart(operation, file('a.pdf', '1'), file('b.pdf', '2'))).not.toBe(
      multipart(operation, file('b.pdf', '2'), file('a.pdf', '1')),
    );
  });

  it('counts the content and the name of a file (contract 1.5)', () => {
    expect(multipart(file('a.pdf', '1'))).not.toBe(multipart(file('a.pdf', '2')));
    expect(multipart(file('a.pdf', '1'))).not.toBe(multipart(file('c.pdf', '1')));
  });

  it('is recognized by the version that it was made with, and by no other (contract 1.5)', () => {
    const input = { method: 'POST', route: '/v1/jobs', query: '', body: { kind: 'json', json: { a: 1 } } } as const;
    const stored = fingerprint(input);
    expect(stored).toBe('v1:b3142a7a919d5fa02e0ee1df3238630ba27e44b44547dc555d5ff8f47a36ca40');
    expect(compareFingerprint(stored, input)).toBe('same');
    expect(compareFingerprint(stored, { ...input, query: 'a' })).toBe('other');
    expect(compareFingerprint('v1', input)).toBe('other');
    for (const unknown of [stored.replace('v1', 'v2'), stored.slice(3), ''])
      expect(compareFingerprint(unknown, input)).toBe('unknown');
  });

  it('never takes one division of the parts for another', () => {
    const text = (field: string, value: string): FingerprintPart => ({ field, value: { kind: 'text', text: value } });
    expect(multipart(text('a', 'b'), text('c', 'd'))).not.toBe(multipart(text('a', 'btextcd')));
  });
});
