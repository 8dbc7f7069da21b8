import fc from 'fast-check';
import { AddressAllowList } from './address-allow-list.js';
import { AddressGuard } from './address-guard.js';

type Bytes = readonly [number, number, number, number];

const byte = fc.integer({ min: 0, max: 255 });
const guard = new AddressGuard(AddressAllowList.parse([]));
const everything = new AddressGuard(AddressAllowList.parse(['0.0.0.0/0', '::/0']));

const blocked: fc.Arbitrary<Bytes> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
);

const metadata = fc.constantFrom<Bytes>(
  [169, 254, 169, 254],
  [169, 254, 170, 2],
  [100, 100, 100, 200],
  [168, 63, 129, 16],
);

/** A number as decimal, octal or hexadecimal, with zeros in front where that changes nothing. */
const numeral = (value: number): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('decimal', 'octal', 'hex', 'HEX'), fc.integer({ min: 0, max: 3 })).map(([base, zeros]) => {
    if (base === 'decimal') return String(value);
    if (base === 'octal') return `0${'0'.repeat(zeros)}${value.toString(8)}`;
    const digits = '0'.repeat(zeros) + value.toString(16);
    return base === 'hex' ? `0x${digits}` : `0X${digits.toUpperCase()}`;
  });

const joined = (bytes: readonly number[]): number => bytes.reduce((sum, each) => sum * 256 + each, 0);

/** One to four parts, of which the last stands for all bytes that are left. */
const dotted = (bytes: Bytes): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: 3 }).chain((whole) => {
    const parts = [...bytes.slice(0, whole), joined(bytes.slice(whole))].map(numeral);
    return fc.tuple(...parts).map((texts) => texts.join('.'));
  });

/** Digits and dots in other scripts, which a URL reads as ASCII. */
const disguised = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    text,
    `${text}.`,
    text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    text.replaceAll('.', '\u3002'),
    text.replace(/\d/g, (digit) => `%3${digit}`),
    `${text.slice(0, 1)}\u00ad${text.slice(1)}`,
  );

const group = (high: number, low: number): string => (high * 256 + low).toString(16);

/** Every IPv6 form that carries the address. */
const carried = ([a, b, c, d]: Bytes): fc.Arbitrary<string> =>
  fc
    .constantFrom(
      `::ffff:${a}.${b}.${c}.${d}`,
      `::ffff:${group(a, b)}:${group(c, d)}`,
      `0:0:0:0:0:FFFF:${group(a, b)}:${group(c, d)}`,
      `::ffff:0:${group(a, b)}:${group(c, d)}`,
      `::${a}.${b}.${c}.${d}`,
      `64:ff9b::${a}.${b}.${c}.${d}`,
      `64:ff9b:1::${group(a, b)}:${group(c, d)}`,
      `64:ff9b:1:${group(a, b)}:${group(0, c)}:${group(d, 0)}::`,
      `2002:${group(a, b)}:${group(c, d)}::1`,
      `2001:0:808:808::${group(a ^ 255, b ^ 255)}:${group(c ^ 255, d ^ 255)}`,
    )
    .map((address) => `[${address}]`);

const spelt = (bytes: fc.Arbitrary<Bytes>): fc.Arbitrary<string> =>
  bytes.chain((each) => fc.oneof(dotted(each).chain(disguised), carried(each)));

const urlOf = (host: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('http', 'https', 'HTTPS'),
      fc.constantFrom('', 'user@', 'a:b@'),
      host,
      fc.constantFrom('', ':8443'),
    )
    .map(([scheme, user, name, port]) => `${scheme}://${user}${name}${port}/hook`);

describe('a blocked IPv4 address', () => {
  it('is refused in whatever spelling', () => {
    fc.assert(
      fc.property(urlOf(spelt(blocked)), (url) => {
        expect({ url, verdict: guard.vetUrl(url) }).toMatchObject({ verdict: { kind: 'refused' } });
      }),
      { numRuns: 2_000 },
    );
  });

  it('that hands out credentials is refused in whatever spelling, even when everything is listed', () => {
    fc.assert(
      fc.property(urlOf(spelt(metadata)), (url) => {
        expect({ url, verdict: everything.vetUrl(url) }).toMatchObject({ verdict: { kind: 'refused' } });
      }),
      { numRuns: 1_000 },
    );
  });
});
