import { scanBytes } from './scan-bytes.js';

const objects = '1 0 obj\n<</Type/Catalog>>\nendobj\n';
const header = '%PDF-1.7\n';

function withTable({ before = '', first = header.length, offset = 0, trailer = '', after = '' } = {}): Buffer {
  const body = `${header}${objects}`;
  const entries = `0000000000 65535 f \n${String(first).padStart(10, '0')} 00000 n \n`;
  const table = `xref\n0 2\n${entries}trailer\n<</Root 1 0 R/Size 2${trailer}>>\n`;
  return Buffer.from(`${before}${body}${table}startxref\n${body.length + offset}\n%%EOF\n${after}`);
}

function withStream(entries: string): Buffer {
  const body = `${header}${objects}`;
  const stream = `2 0 obj\n<</Type/XRef/Root 1 0 R${entries}/Length 4>>\nstream\nabcd\nendstream\nendobj\n`;
  return Buffer.from(`${body}${stream}startxref\n${body.length}\n%%EOF\n`);
}

function faultsOf(file: Buffer): string[] | string {
  const scan = scanBytes(file, 0);
  return scan.verdict === 'normalise' ? [...scan.faults] : scan.verdict;
}

describe('the scan of the bytes of a file', () => {
  it.each<[string, Buffer]>([
    ['has a table', withTable()],
    ['has a table, and its offsets count from the header', withTable({ before: 'x'.repeat(3_000) })],
    ['has a table, and its offsets count from the start', withTable({ before: 'x'.repeat(9), first: 18, offset: 9 })],
    ['has an entry in use at offset 0', withTable({ first: 0 })],
    ['has a stream', withStream('/W[1 2 1]/Size 3')],
    ['has a stream with an index', withStream('/W [ 1 2 1 ] /Index [0 1 2 1] /Size 99999')],
    ['has zeros after its end', withTable({ after: '\0'.repeat(5_000) })],
    ['has a word that begins like an encryption', withTable({ trailer: '/EncryptMetadata true' })],
  ])('lets a file be opened directly that %s', (_, file) => {
    expect(faultsOf(file)).toBe('direct');
  });

  it.each<[string, string[], Buffer]>([
    ['names an encryption', ['encrypted'], withTable({ trailer: '/Encrypt 3 0 R' })],
    ['names an encryption without a blank', ['encrypted'], withTable({ trailer: '/Encrypt<<>>' })],
    ['says nowhere where its cross-reference is', ['cross_reference'], Buffer.from(header + objects)],
    ['says it wrongly', ['cross_reference'], withTable({ offset: 3 })],
    ['has a table that leads elsewhere', ['cross_reference'], withTable({ first: 11 })],
    ['has fields that are too wide', ['cross_reference'], withStream('/W[1 2000000000 1]/Size 3')],
    ['has two fields only', ['cross_reference'], withStream('/W[1 2]/Size 3')],
    ['has fields that are no numbers', ['cross_reference'], withStream('/W[1 x 1]/Size 3')],
    ['has more entries than bytes', ['cross_reference'], withStream('/W[1 2 1]/Size 2000000000')],
    ['has an index that is too long', ['cross_reference'], withStream('/W[1 2 1]/Index[0 2 3 2000000000]/Size 3')],
    ['has an index with a negative count', ['cross_reference'], withStream('/W[1 2 1]/Index[0 -2000000]/Size 3')],
    ['has objects after its end', ['after_end'], withTable({ after: '9 0 obj\nnull\n' })],
  ])('has a file normalised that %s', (_, faults, file) => {
    expect(faultsOf(file)).toEqual(faults);
  });

  it.each([
    ['is empty', ''],
    ['has no header', objects],
    ['has its header too late', `${'x'.repeat(5_000)}${header}`],
  ])('refuses a file that %s', (_, file) => {
    expect(scanBytes(Buffer.from(file), 3)).toMatchObject({
      verdict: 'refused',
      failure: { code: 'not_a_pdf', input: 3 },
    });
  });

  it('leaves out what lies before the header and after the end, without a copy', () => {
    const file = withTable({ before: 'junk', after: '\0\0' });
    const { bytes } = scanBytes(file, 0) as { bytes: Buffer };
    expect(bytes.toString()).toBe(withTable().toString().trim());
    expect(bytes.buffer).toBe(file.buffer);
  });

  it('takes a time in proportion to the bytes', () => {
    const file = Buffer.concat([withTable(), Buffer.alloc(20 * 2 ** 20, '/Encrypt1 0 obj xref startxre ')]);
    const startedAt = performance.now();
    scanBytes(file, 0);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
