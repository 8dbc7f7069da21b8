import { readFileSync } from 'node:fs';
import { tableBelow } from '../../../../test/support/markdown-table.js';
import { jobErrors } from './job-errors.js';
import { requestErrors } from './request-errors.js';
import { withErrorTables } from './error-tables.js';

const documentation = (name: string) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8');

describe('the tables of the catalogue', () => {
  it.each(['errors', 'idempotency'])('are in docs/%s.md as the catalogue has them (write-error-tables)', (name) => {
    expect(documentation(name)).toBe(withErrorTables(documentation(name)));
  });

  it('have one row for each code of a refused request, and others for those of a failed job', () => {
    const codesBelow = (heading: string) => tableBelow(documentation('errors'), heading).map(([code]) => code);
    const quoted = (codes: object) => Object.keys(codes).map((code) => `\`${code}\``);
    expect(codesBelow('## Refused requests')).toEqual(quoted(requestErrors));
    expect(codesBelow('## Failed jobs')).toEqual(quoted(jobErrors));
    expect(Object.keys(jobErrors).filter((code) => code in requestErrors)).toEqual([]);
  });

  it('end their sentences with a full stop, and their titles, as all details of a refusal, with none', () => {
    const entries = [...Object.values(requestErrors), ...Object.values(jobErrors)];
    expect(entries.filter(({ title, when }) => title.endsWith('.') || !when.endsWith('.'))).toEqual([]);
  });

  it('that a document asks for and that are not there are told of', () => {
    expect(() => withErrorTables('<!-- table: none -->\n<!-- end of table -->')).toThrow('there is no table none');
    expect(() => withErrorTables('# Nothing')).toThrow('the document asks for no table');
  });
});
