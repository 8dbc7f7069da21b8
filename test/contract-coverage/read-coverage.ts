import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../support/package-root.js';
import type { Coverage, Suite } from './coverage-document.js';
import { readLines } from './read-lines.js';
import { readTitles } from './read-titles.js';
import { toBeBuilt } from './to-be-built.js';

/** Where the mapping is written. */
export const coveragePath = join(packageRoot, 'docs', 'contract-coverage.md');

/** The contract and the suites as they are in the sources. */
export async function readCoverage(): Promise<Coverage> {
  const lines = readLines(await readFile(join(packageRoot, 'docs', 'contract.md'), 'utf8'));
  const suites = await Promise.all((await suitePaths()).map(readSuite));
  return { lines, suites: suites.filter(({ titles }) => titles.length > 0), toBeBuilt };
}

async function suitePaths(): Promise<readonly string[]> {
  const roots = ['apps', 'libs', 'test'];
  const found = await Promise.all(roots.map((root) => readdir(join(packageRoot, root), { recursive: true })));
  const paths = found.flatMap((names, index) => names.map((name) => join(roots[index] ?? '', name)));
  return paths.filter((path) => /\.(spec|contract)\.ts$/.test(path) && !path.includes('node_modules')).sort();
}

async function readSuite(path: string): Promise<Suite> {
  return { path, titles: readTitles(await readFile(join(packageRoot, path), 'utf8')) };
}
