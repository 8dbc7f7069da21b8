import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { runQpdfModule } from './qpdf-module.js';

/** What `qpdf --check` has to say; warnings are what it mends while it reads. */
export interface QpdfVerdict {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** The verdict on a document that is in order. */
export const sound: QpdfVerdict = { errors: [], warnings: [] };

/** Ways in which qpdf ends a check that it could make: well, with errors, with warnings. */
const verdictCodes = [0, 2, 3];

/** Whether there is a qpdf program; without one the checks run on its WebAssembly build. */
export const hasQpdfProgram = spawnSync('qpdf', ['--version'], { stdio: 'ignore' }).status === 0;

/**
 * Runs `qpdf --check`, which reads every object and decodes every stream. With `REQUIRE_QPDF=true` it is an error that the program is
 * missing, so that a build that should test with it does not pass without.
 */
export async function checkWithQpdf(bytes: Uint8Array, password = ''): Promise<QpdfVerdict> {
  if (hasQpdfProgram) return checkWithProgram(bytes, password);
  if (process.env['REQUIRE_QPDF'] === 'true') throw new Error('REQUIRE_QPDF is set, and there is no qpdf.');
  return checkWithModule(bytes, password);
}

/** The same on the WebAssembly build, whether or not there is a program. */
export async function checkWithModule(bytes: Uint8Array, password = ''): Promise<QpdfVerdict> {
  const { code, complaints } = await runQpdfModule([`--password=${password}`, '--check', '/in.pdf'], {
    '/in.pdf': bytes,
  });
  return verdictOf(code, complaints);
}

async function checkWithProgram(bytes: Uint8Array, password: string): Promise<QpdfVerdict> {
  const directory = await mkdtemp(join(tmpdir(), 'qpdf-check-'));
  try {
    const path = join(directory, 'in.pdf');
    await writeFile(path, bytes);
    const qpdf = spawn('qpdf', [`--password=${password}`, '--check', path], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [complaints, [code]] = await Promise.all([text(qpdf.stderr), once(qpdf, 'close')]);
    return verdictOf(code as number | null, complaints.replaceAll(path, '/in.pdf'));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function verdictOf(code: number | null, complaints: string): QpdfVerdict {
  if (code === null || !verdictCodes.includes(code)) throw new Error(`qpdf ended with ${code}: ${complaints}`);
  const lines = complaints.split('\n').filter((line) => line !== '' && !line.includes('operation succeeded'));
  const warnings = lines.filter((line) => line.startsWith('WARNING:'));
  const errors = lines.filter((line) => !line.startsWith('WARNING:'));
  return { errors: code === 2 && errors.length === 0 ? ['qpdf found errors.'] : errors, warnings };
}

/** Throws when qpdf has anything bad to say of a document. */
export async function requireSound(bytes: Uint8Array): Promise<void> {
  const { errors, warnings } = await checkWithQpdf(bytes);
  const complaints = [...errors, ...warnings];
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}
