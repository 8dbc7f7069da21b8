import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { foreignAvailability, foreignPath } from '../support/foreign-availability.js';
import { packageRoot } from '../support/package-root.js';
import { documentedCode } from './documented-code.js';

const run = promisify(execFile);
const sources = join(packageRoot, 'test', 'receiver', 'foreign');
/** The first time the libraries are fetched, and Go compiles its own. */
const preparedWithinMs = 240_000;
const verifiedWithinMs = 30_000;

/** Verifies the requests of a JSON file in another language and gives the id of each event, `null` where it refuses one. */
export type ForeignVerifier = (file: string) => Promise<readonly (string | null)[]>;

/**
 * The programs of docs/webhooks.md, with the public library of their language, made ready to run in a directory.
 *
 * @throws with the reason when a tool chain or a library is not to be had
 */
export async function foreignVerifiers(directory: string): Promise<Readonly<Record<'Python' | 'Go', ForeignVerifier>>> {
  const availability = foreignAvailability();
  if (!availability.available) throw new Error(`not available: ${availability.reason}`);
  const [python, go] = await Promise.all([
    pythonVerifier(join(directory, 'python')),
    goVerifier(join(directory, 'go')),
  ]);
  return { Python: python, Go: go };
}

async function pythonVerifier(directory: string): Promise<ForeignVerifier> {
  const packages = await pythonPackages();
  await mkdir(directory);
  await cp(join(sources, 'check.py'), join(directory, 'check.py'));
  await writeFile(join(directory, 'documented.py'), await documentedCode('python'));
  const env = { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' };
  return (file) => idsOf('python3', [join(directory, 'check.py'), file], env);
}

async function goVerifier(directory: string): Promise<ForeignVerifier> {
  await mkdir(directory);
  for (const name of ['check.go', 'go.mod', 'go.sum']) await cp(join(sources, name), join(directory, name));
  await writeFile(join(directory, 'documented.go'), await documentedCode('go'));
  const env = { ...process.env, PATH: foreignPath, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };
  await run('go', ['build', '-o', 'check', '.'], { cwd: directory, env, timeout: preparedWithinMs });
  return (file) => idsOf(join(directory, 'check'), [file], env);
}

async function idsOf(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const { stdout } = await run(command, [...args], { env, timeout: verifiedWithinMs });
  return JSON.parse(stdout) as (string | null)[];
}

/** Where the packages of requirements.txt are, kept between runs outside the repository. */
async function pythonPackages(): Promise<string> {
  const requirements = join(sources, 'requirements.txt');
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12);
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pdfonce', 'python');
  const kept = join(cache, version);
  if (existsSync(kept)) return kept;
  await mkdir(cache, { recursive: true });
  const fetched = await mkdtemp(join(cache, 'fetched-'));
  const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--target', fetched];
  await run('python3', ['-m', 'pip', 'install', ...options, '-r', requirements], { timeout: preparedWithinMs });
  await rename(fetched, kept).catch(async () => {
    // Another run was first.
    await rm(fetched, { recursive: true });
  });
  return kept;
}
