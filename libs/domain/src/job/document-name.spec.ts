import { documentMediaType, documentName } from './document-name.js';

describe('documentMediaType', () => {
  it.each([
    ['application/pdf', 'application/pdf'],
    ['Application/PDF; charset=x', 'application/pdf'],
    ['', 'application/octet-stream'],
    ['pdf', 'application/octet-stream'],
    [`application/${'x'.repeat(77_000)}`, 'application/octet-stream'],
    ['\u0000/x', 'application/octet-stream'],
  ])('takes %p as %s', (text, type) => expect(documentMediaType(text)).toBe(type));
});

describe('documentName', () => {
  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\docs\\a.pdf', 'a.pdf'],
    ['a\u0000b\n.pdf', 'ab.pdf'],
    ['', 'document.pdf'],
    ['..', 'document.pdf'],
  ])('takes %j as %s', (text, name) => expect(documentName(text)).toBe(name));

  it('keeps 255 characters', () => expect(documentName('x'.repeat(10_000))).toHaveLength(255));
});
