import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { packageRoot } from '../support/package-root.js';
import { samplePdf } from '../support/pdf-samples.js';

const run = promisify(execFile);
const clientLibrary = pathToFileURL(join(packageRoot, 'dist', 'libs', 'client', 'src', 'index.js')).href;

/** A service, as the programs are told of it. */
export interface ProgramTarget {
  readonly url: string;
  readonly apiKey: string;
}

/** The programs of docs/idempotency.md, in a directory that has the sample documents of `npm start`. */
export class DocumentedPrograms {
  private constructor(private readonly directory: string) {}

  static async open(): Promise<DocumentedPrograms> {
    const directory = await mkdtemp(join(tmpdir(), 'pdfonce-documented-'));
    await mkdir(join(directory, 'data', 'samples'), { recursive: true });
    for (const [index, name] of ['one.pdf', 'two.pdf'].entries())
      await writeFile(join(directory, 'data', 'samples', name), await samplePdf([100 + index]));
    return new DocumentedPrograms(directory);
  }

  /** What a program in JavaScript prints at its end. */
  async javascript(program: string, target: ProgramTarget): Promise<string> {
    return this.#output(process.execPath, ['--input-type=module', '--eval', program], target);
  }

  /** What a program in Python prints at its end. */
  async python(program: string, target: ProgramTarget): Promise<string> {
    return this.#output('python3', ['-c', program], target);
  }

  async close(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  async #output(command: string, args: readonly string[], { url, apiKey }: ProgramTarget): Promise<string> {
    const env = { ...process.env, NODE_OPTIONS: '', URL: url, KEY: apiKey };
    return (await run(command, [...args], { cwd: this.directory, env, timeout: 50_000 })).stdout;
  }
}

/** The TypeScript below a heading, as JavaScript. */
export async function documentedScript(heading: string): Promise<string> {
  const source = await documentedProgram(heading, 'ts');
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(source, { compilerOptions }).outputText.replace('@pdfonce/client', clientLibrary);
}

/** @throws when there is no program of that language below the heading */
export async function documentedProgram(heading: string, language: string): Promise<string> {
  const markdown = await readFile(join(packageRoot, 'docs', 'idempotency.md'), 'utf8');
  const [, source] =
    new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(markdown.split(`${heading}\n`)[1] ?? '') ?? [];
  if (source === undefined) throw new Error(`docs/idempotency.md has no ${language} below ${heading}`);
  return source;
}
