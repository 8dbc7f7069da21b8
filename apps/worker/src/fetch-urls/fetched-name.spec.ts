import { fetchedName } from './fetched-name.js';

describe('the name of a fetched document', () => {
  it.each([
    ['https://a.example/dir/one.pdf?sig=x', 'one.pdf'],
    ['https://a.example/na%C3%AFve%20one.pdf', 'naïve one.pdf'],
    ['https://a.example/%2e%2e%2fetc%2fpasswd', 'passwd'],
    ['https://a.example/100%.pdf', '100%.pdf'],
    ['https://a.example/', 'document.pdf'],
    ['https://a.example', 'document.pdf'],
    ['https://a.example/a%00b.pdf', 'ab.pdf'],
  ])('is by the path of %s %s', (url, name) => expect(fetchedName(null, url)).toBe(name));

  it.each([
    ['attachment; filename="two.pdf"', 'two.pdf'],
    ['attachment; filename=two.pdf', 'two.pdf'],
    [String.raw`attachment; filename="t\"wo.pdf"`, 't"wo.pdf'],
    ["attachment; filename=old.pdf; filename*=UTF-8''na%C3%AFve.pdf", 'naïve.pdf'],
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    [String.raw`attachment; filename="..\\..\\boot.ini"`, 'boot.ini'],
    ["attachment; filename*=UTF-8''%2e%2e%2f", 'document.pdf'],
    ['attachment', 'one.pdf'],
    ['attachment; filename=""', 'document.pdf'],
  ])('is what the server gives: %s', (header, name) => {
    expect(fetchedName(header, 'https://a.example/one.pdf')).toBe(name);
  });
});
