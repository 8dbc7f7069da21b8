import { readFileSync } from 'node:fs';
import { tableBelow } from '../../../../test/support/markdown-table.js';
import { type ErrorEntry, jobErrors, requestErrors } from './catalogue.js';

const documentation = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

describe('docs/errors.md', () => {
  it('has one row for each code of a refused request, with its status, what it means and what to do', () => {
    const rows = Object.entries<ErrorEntry>(requestErrors).map(([code, { status, title, when, retry }]) => [
      `\`${code}\``,
      String(status),
      `${title}. ${when}`,
      retry,
    ]);
    expect(tableBelow(documentation, '## Refused requests')).toEqual(rows);
  });

  it('has one row for each code of a failed job, with what it means and whether the same work may succeed', () => {
    const rows = Object.entries(jobErrors).map(([code, { title, retryable }]) => [
      `\`${code}\``,
      title,
      retryable ? 'yes' : 'no',
    ]);
    expect(tableBelow(documentation, '## Failed jobs')).toEqual(rows);
  });
});
