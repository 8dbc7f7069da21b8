import type { ContractLine } from './read-lines.js';
import type { TaggedTitle } from './read-titles.js';

/** A suite and what of it names lines of the contract. */
export interface Suite {
  /** Below the root of the package. */
  readonly path: string;
  readonly titles: readonly TaggedTitle[];
}

/** What is known of the contract and of who holds it. */
export interface Coverage {
  readonly lines: readonly ContractLine[];
  readonly suites: readonly Suite[];
  /** What is to be built, by line. */
  readonly toBeBuilt: Readonly<Record<string, string>>;
}

const heading = `# Which test holds which line of the contract

Written by \`npm run coverage:contract\` from the titles of the tests that end with \`(contract 1.4)\`, not by hand. The lines are
those of [contract.md](contract.md).`;

/** docs/contract-coverage.md: each line of the contract with the tests that name it and what of it is to be built. */
export function coverageDocument({ lines, suites, toBeBuilt }: Coverage): string {
  const sections = lines.map(({ id, text }) => {
    const note = toBeBuilt[id];
    const items = [...holders(suites, id), ...(note === undefined ? [] : [`To be built: ${note}.`])];
    if (items.length === 0) items.push('No test.');
    return `## ${id} ${firstWords(text)}\n\n${items.map((item) => `- ${item}`).join('\n')}`;
  });
  return `${[heading, ...sections].join('\n\n')}\n`;
}

/** What is wrong: lines that nobody holds, tests and notes that name no line. */
export function coverageProblems({ lines, suites, toBeBuilt }: Coverage): readonly string[] {
  const known = new Set(lines.map(({ id }) => id));
  const named = suites.flatMap(({ path, titles }) =>
    titles.flatMap(({ title, ids }) => ids.map((id) => ({ id, where: `${path}: ${title}` }))),
  );
  const held = new Set([...named.map(({ id }) => id), ...Object.keys(toBeBuilt)]);
  return [
    ...lines
      .filter(({ id }) => !held.has(id))
      .map(({ id }) => `no test names line ${id}, and nothing says that it is to be built`),
    ...named
      .filter(({ id }) => !known.has(id))
      .map(({ id, where }) => `there is no line ${id}, which a test names: ${where}`),
    ...Object.keys(toBeBuilt)
      .filter((id) => !known.has(id))
      .map((id) => `there is no line ${id}, which is said to be built`),
  ];
}

function holders(suites: readonly Suite[], id: string): readonly string[] {
  return suites.flatMap(({ path, titles }) =>
    titles.filter(({ ids }) => ids.includes(id)).map(({ title }) => `\`${path}\`: ${plain(title)}`),
  );
}

const mostWords = 9;

function firstWords(text: string): string {
  const words = text.split(' ');
  const shown = words
    .slice(0, mostWords)
    .join(' ')
    .replace(/[.,:;]$/, '');
  return words.length > mostWords ? `${shown} ...` : shown;
}

/** As Markdown shows it: nothing in a title is markup. */
function plain(title: string): string {
  return title.replace(/[\\`*_<[]/g, '\\$&').replace(/\s+/g, ' ');
}
