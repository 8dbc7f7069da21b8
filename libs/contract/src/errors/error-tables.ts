import { adviceTexts } from './advice.js';
import { type JobErrorEntry, jobErrors } from './job-errors.js';
import { type ErrorEntry, requestErrors } from './request-errors.js';

type Row = readonly string[];

const requests = Object.entries<ErrorEntry>(requestErrors);
const jobs = Object.entries<JobErrorEntry>(jobErrors);

/** The tables that documents have of the catalogue: their rows, the heading first. */
const tables: Readonly<Record<string, readonly Row[]>> = {
  'refused requests': [
    ['Code', 'Status', 'Meaning', 'Do'],
    ...requests.map(([code, { status, title, when, retry }]) => [
      codeText(code),
      `${status}`,
      `${title}. ${when}`,
      retry,
    ]),
  ],
  'failed jobs': [
    ['Code', 'Meaning', 'Retryable', 'Do'],
    ...jobs.map(([code, { title, when, retryable, retry }]) => [
      codeText(code),
      `${title}. ${when}`,
      retryable ? 'yes' : 'no',
      retry,
    ]),
  ],
  'what to do': [['Do', 'Meaning'], ...Object.entries(adviceTexts).map(([advice, { sentence }]) => [advice, sentence])],
  'retries by status': [
    ['Status', 'Code', 'Retry with'],
    ...requests.map(([code, { status, retry }]) => [`${status}`, codeText(code), adviceTexts[retry].short]),
  ],
  'retries of failed jobs': [
    ['Code of the job', 'Retry with'],
    ...jobs.map(([code, { retry }]) => [codeText(code), adviceTexts[retry].short]),
  ],
};

const marked = /<!-- table: (.*?) -->\n[^]*?<!-- end of table -->/g;

/**
 * A Markdown document with the tables of the catalogue anew: each stands between `<!-- table: name -->` and `<!-- end of table -->`.
 *
 * @throws Error when it asks for a table that there is not, or has none
 */
export function withErrorTables(markdown: string): string {
  if (markdown.search(marked) === -1) throw new Error('the document asks for no table');
  return markdown.replace(marked, (_, name: string) => {
    const rows = tables[name];
    if (rows === undefined) throw new Error(`there is no table ${name}; there are ${Object.keys(tables).join(', ')}`);
    return `<!-- table: ${name} -->\n\n${tableText(rows)}\n\n<!-- end of table -->`;
  });
}

function codeText(code: string): string {
  return `\`${code}\``;
}

/** Padded as the formatter of the documents pads it. */
function tableText(rows: readonly Row[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = (escaped[0] ?? []).map((_, column) => Math.max(...escaped.map((row) => row[column]?.length ?? 0)));
  const [heading = [], ...body] = escaped.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  const lines = [heading, widths.map((width) => '-'.repeat(width)), ...body];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
