import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../package-root.js';

const pomFile = join(packageRoot, 'test', 'support', 'kafka', 'pom.xml');
const run = promisify(execFile);

/** Where broker files live between runs, outside the repository. */
export function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pdfonce', 'kafka');
}

/**
 * The class path of the broker; Maven fetches the jars the first time.
 *
 * @throws when Maven cannot get them
 */
export async function brokerClassPath(): Promise<string> {
  const pom = await readFile(pomFile);
  const version = createHash('sha256').update(pom).digest('hex').slice(0, 12);
  const cached = join(cacheDirectory(), `classpath-${version}.txt`);
  const known = existsSync(cached) ? await readFile(cached, 'utf8') : '';
  if (known !== '' && known.split(delimiter).every((jar) => existsSync(jar))) return known;
  await mkdir(cacheDirectory(), { recursive: true });
  const written = `${cached}.${process.pid}`;
  await run('mvn', ['-q', '-B', '-f', pomFile, 'dependency:build-classpath', `-Dmdep.outputFile=${written}`], {
    timeout: 300_000,
  });
  await rename(written, cached);
  return (await readFile(cached, 'utf8')).trim();
}
