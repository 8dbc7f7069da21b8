import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { coverageDocument, coverageProblems } from './coverage-document.js';
import { coveragePath, readCoverage } from './read-coverage.js';

const help = `Writes docs/contract-coverage.md: which test holds which line of docs/contract.md.

  npm run coverage:contract              writes it
  npm run coverage:contract -- --check   exits 1 when it is not what would be written

Exits 1 when a line has neither a test nor a note of what is to be built, or a test names a line that there is not.`;

async function main(isCheck: boolean): Promise<boolean> {
  const coverage = await readCoverage();
  const problems = [...coverageProblems(coverage)];
  const document = coverageDocument(coverage);
  if (!isCheck) await writeFile(coveragePath, document);
  else if ((await readFile(coveragePath, 'utf8').catch(() => '')) !== document)
    problems.push('docs/contract-coverage.md is not what the tests say: run npm run coverage:contract');
  for (const problem of problems) console.error(problem);
  console.log(
    `${coverage.lines.length} lines, ${coverage.suites.length} suites name them, ${problems.length} problems`,
  );
  return problems.length === 0;
}

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' }, check: { type: 'boolean' } } });
if (values.help === true) console.log(help);
else process.exitCode = (await main(values.check === true)) ? 0 : 1;
