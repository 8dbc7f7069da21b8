import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../support/package-root.js';

/** The one program in a language that docs/webhooks.md shows. @throws when it shows none, or several */
export async function documentedCode(language: 'ts' | 'python' | 'go'): Promise<string> {
  const markdown = await readFile(join(packageRoot, 'docs', 'webhooks.md'), 'utf8');
  const [program, ...others] = [...markdown.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))];
  if (program?.[1] === undefined || others.length > 0)
    throw new Error(`docs/webhooks.md: not one program in ${language}`);
  return program[1];
}
