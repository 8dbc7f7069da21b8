import { readFile } from 'node:fs/promises';
import { type Coverage, coverageDocument, coverageProblems } from './coverage-document.js';
import { coveragePath, readCoverage } from './read-coverage.js';
import { readLines } from './read-lines.js';
import { readTitles } from './read-titles.js';

describe('the contract', () => {
  it('has for every line a test that names it, or a note of what is to be built, and no test names another', async () => {
    expect(coverageProblems(await readCoverage())).toEqual([]);
  });

  it('is mapped to its tests in docs/contract-coverage.md as they are (npm run coverage:contract)', async () => {
    expect(await readFile(coveragePath, 'utf8')).toBe(coverageDocument(await readCoverage()));
  });
});

describe('the mapping of a contract to its tests', () => {
  const suiteOf = (...ids: string[]) => ({ path: 'a.spec.ts', titles: [{ title: 'holds *it*', ids }] });
  const lines = [{ id: '1.1', text: 'A promise.' }];

  it('reads numbered lines to their ends', () => {
    const markdown =
      '# T\n\n- **1.1** One\n  and more\n- **1.2** Two\n\n  Not the second.\n- without a number\n  nor here';
    expect(readLines(markdown)).toEqual([
      { id: '1.1', text: 'One and more' },
      { id: '1.2', text: 'Two' },
    ]);
  });

  it('reads titles of any call that end with a tag, parametrised and filled in ones too', () => {
    const source = [
      'it("a (contract 1.1)", f); // it("not this (contract 1.1)")',
      'rule(`b ${x} (contract 1.2, 2.10)`, f);',
      'it.each([1])("c %s (contract 1.3)", f);',
      'it("d (contract 2.files)", f);',
      'const text = "no call (contract 1.4)"; it("a tag (contract 1.5) inside", f);',
    ].join('\n');
    expect(readTitles(source)).toEqual([
      { title: 'a', ids: ['1.1'] },
      { title: 'b ...', ids: ['1.2', '2.10'] },
      { title: 'c %s', ids: ['1.3'] },
      { title: 'd', ids: ['2.files'] },
    ]);
  });

  it.each<[string, Coverage, string[]]>([
    ['is whole', { lines, suites: [suiteOf('1.1')], toBeBuilt: {} }, []],
    ['has a note alone', { lines, suites: [], toBeBuilt: { '1.1': 'it' } }, []],
    ['has a line that nobody holds', { lines, suites: [], toBeBuilt: {} }, ['no test names line 1.1']],
    [
      'has a tag that leads nowhere',
      { lines, suites: [suiteOf('1.1', '9.9')], toBeBuilt: {} },
      ['there is no line 9.9'],
    ],
    [
      'has a note that leads nowhere',
      { lines, suites: [suiteOf('1.1')], toBeBuilt: { '9.9': 'it' } },
      ['there is no line 9.9'],
    ],
  ])('that %s says so', (_, coverage, beginnings) => {
    const problems = coverageProblems(coverage);
    expect(problems).toHaveLength(beginnings.length);
    beginnings.forEach((beginning, index) => expect(problems[index]?.startsWith(beginning)).toBe(true));
  });

  it('shows a line with its tests and its note', () => {
    const document = coverageDocument({ lines, suites: [suiteOf('1.1')], toBeBuilt: { '1.1': 'the rest' } });
    expect(document).toContain('## 1.1 A promise\n\n- `a.spec.ts`: holds \\*it\\*\n- To be built: the rest.\n');
  });
});
