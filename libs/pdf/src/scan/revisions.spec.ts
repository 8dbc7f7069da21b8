import { crossReferencesOf, lastObjectsCount } from './revisions.js';

/** A file that grows by revisions: objects with their text, and which entries its table has for them. */
class RevisedFile {
  private text = '%PDF-1.5\n';
  private tables: number[] = [];

  /** `listed` says of each number where it is, `f` for free, or leaves it out; without it all objects are listed. */
  revise(
    objects: Record<number, string>,
    listed?: Record<number, number | 'f'>,
    previous = this.tables.at(-1),
  ): number[] {
    const at: Record<number, number | 'f'> = {};
    for (const [number, text] of Object.entries(objects)) {
      at[Number(number)] = this.text.length;
      this.text += `${number} 0 obj\n${text}\nendobj\n`;
    }
    const start = this.text.length;
    const entries = Object.entries(listed ?? at).map(([number, where]) =>
      where === 'f'
        ? `${number} 1\n0000000000 00001 f \n`
        : `${number} 1\n${String(where).padStart(10, '0')} 00000 n \n`,
    );
    const trailer = `trailer\n<</Size 9${previous === undefined ? '' : `/Prev ${previous}`}>>`;
    this.text += `xref\n${entries.join('')}${trailer}\nstartxref\n${start}\n%%EOF\n`;
    this.tables.push(start);
    return Object.values(at).filter((where) => where !== 'f');
  }

  get bytes(): Buffer {
    return Buffer.from(this.text);
  }

  get starts(): number[] {
    return [...this.tables].reverse();
  }
}

function lastCounts(file: RevisedFile): boolean {
  return lastObjectsCount(file.bytes, crossReferencesOf(file.bytes));
}

let file: RevisedFile;

beforeEach(() => {
  file = new RevisedFile();
});

describe('the revisions of a file', () => {
  it('lead from the last cross-reference back to the first', () => {
    for (let revision = 0; revision < 3; revision += 1) file.revise({ 1: `(${revision})` });
    expect(crossReferencesOf(file.bytes)).toEqual(file.starts);
    expect(crossReferencesOf(Buffer.from('%PDF-1.4\n'))).toEqual([]);
  });

  it('end where one leads forwards or to itself', () => {
    file.revise({ 1: 'null' }, undefined, 1_000_000);
    expect(crossReferencesOf(file.bytes)).toEqual(file.starts);
  });

  it('let the last object count when every revision lists what it writes', () => {
    file.revise({ 1: '(old)', 2: '(kept)' });
    file.revise({ 1: '(new)' });
    expect(lastCounts(file)).toBe(true);
  });

  it('do not when a later table leads back to an older object', () => {
    const [first = 0] = file.revise({ 1: '(old)' });
    file.revise({ 1: '(new)' });
    file.revise({}, { 1: first });
    expect(lastCounts(file)).toBe(false);
  });

  it('do not when a revision is skipped, an object is freed, or one is not listed', () => {
    const [skipping, freeing, hiding] = [file, new RevisedFile(), new RevisedFile()];
    skipping.revise({ 1: '(old)' });
    const [first] = skipping.starts;
    skipping.revise({ 1: '(skipped)' });
    skipping.revise({ 2: '(new)' }, undefined, first);
    freeing.revise({ 1: '(old)', 2: '(gone)' });
    freeing.revise({}, { 2: 'f' });
    hiding.revise({ 1: '(old)' });
    hiding.revise({ 1: '(hidden)' }, {});
    expect([skipping, freeing, hiding].map(lastCounts)).toEqual([false, false, false]);
  });
});
