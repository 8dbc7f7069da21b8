import fc from 'fast-check';
import { parseStrictJson, StrictJsonError } from './strict-json.js';

describe('parseStrictJson', () => {
  it('reads whatever JSON.stringify writes, but for the name __proto__', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, (_, item: unknown) =>
          typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item) ? 0 : item,
        );
        fc.pre(!text.includes('"__proto__"'));
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"x":[{"b":1},{"b":1,"c":{"d":1,"d":1}}]}', '/x/1/c/d'],
    ['{"n":9007199254740993}', '/n'],
    ['[1,12345678901234567890]', '/1'],
    ['[1e400]', '/0'],
    ['{"s":"\\u0000"}', '/s'],
    ['{"s":"\\ud800"}', '/s'],
    ['{"a":', ''],
    ['{"m":{"__proto__":1}}', '/m/__proto__'],
    [`${'['.repeat(5000)}${']'.repeat(5000)}`, ''],
    [`${'{"a":'.repeat(200_000)}`, ''],
    ['', ''],
  ])('refuses %s at %s (contract 1.5)', (text, pointer) => {
    expect(() => parseStrictJson(text)).toThrow(StrictJsonError);
    try {
      parseStrictJson(text);
    } catch (error) {
      expect((error as StrictJsonError).pointer).toBe(pointer);
    }
  });

  it.each(['{"password":"s3cret"}, x', `{"password":"s3cret" x${' '.repeat(500)}}`, '["s3cret",x"]', '"s3cret"s3cret'])(
    'shows nothing of a text that it cannot read: %s (contract 4.1)',
    (text) => {
      expect(() => parseStrictJson(text)).toThrow(/^the text is not JSON: \w(?!.*cret)/);
    },
  );

  it('says of a byte order mark, which nobody sees, that it is there', () => {
    expect(() => parseStrictJson('\uFEFF{}')).toThrow('the text is not JSON: it begins with a byte order mark');
  });

  it('refuses more values than any request has, before it parses them', () => {
    expect(() => parseStrictJson(`[${'1,'.repeat(200_001)}1`)).toThrow('more than 200000 values');
    expect(parseStrictJson(`[${'1,'.repeat(199_999)}1]`)).toHaveLength(200_000);
  });

  it('takes the same name in different objects, and names that look like values', () => {
    expect(parseStrictJson('{"a":{"a":"a"},"b":["a","a",{"a":1.5e3}]}')).toEqual({
      a: { a: 'a' },
      b: ['a', 'a', { a: 1500 }],
    });
  });
});
