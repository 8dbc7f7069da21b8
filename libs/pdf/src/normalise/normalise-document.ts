import type { QpdfRun } from './run-qpdf.js';
import { runQpdf } from './run-qpdf.js';

/**
 * What came of a document. `rewritten` is the same document without encryption, with a table for its objects that is right and
 * every object in one piece; `hadFaults` when qpdf had something to warn of. `unreadable` may yet be damage that can be repaired.
 */
export type Normalised =
  | {
      readonly outcome: 'rewritten';
      readonly bytes: Buffer;
      readonly wasEncrypted: boolean;
      readonly hadFaults: boolean;
    }
  | { readonly outcome: PasswordFailure | Failure };
type PasswordFailure = 'password_required' | 'password_invalid';
type Failure = 'unsupported_encryption' | 'out_of_memory' | 'unreadable';

/** The same input has to give the same bytes, so the identifier of the file is made from its content. */
const rewriting = ['--decrypt', '--deterministic-id', '--object-streams=disable', '--stream-data=preserve'];
const unsupported = /unsupported encryption|encryption SubFilters|unsupported \/R or \/V/i;
const succeeded = 0;
const succeededWithWarnings = 3;

/** Rewrites a document with qpdf, opening it with the password where it is encrypted; one for which the empty one does needs none. */
export async function normaliseDocument(
  bytes: Buffer,
  { password, mayBeEncrypted }: { password: string | null; mayBeEncrypted: boolean },
): Promise<Normalised> {
  for (const attempt of encodings(password)) {
    const files = { '/input': bytes, '/password': attempt };
    const run = await runQpdf([...rewriting, '--password-file=/password', '/input', '/output'], files);
    if (isRefused(run)) continue;
    const outcome = outcomeOf(run);
    if (typeof outcome !== 'object') return { outcome };
    return { outcome: 'rewritten', ...outcome, wasEncrypted: mayBeEncrypted && (await isEncrypted(files)) };
  }
  return { outcome: password === null || password === '' ? 'password_required' : 'password_invalid' };
}

/** A password is sent as text; documents before PDF 2.0 take it in an encoding of single bytes. */
function encodings(password: string | null): Buffer[] {
  if (password === null || password === '') return [Buffer.from('')];
  const texts = [Buffer.from(password, 'utf8')];
  const singleBytes = Buffer.from(password, 'latin1');
  if (singleBytes.toString('latin1') === password && !singleBytes.equals(texts[0] ?? singleBytes))
    texts.push(singleBytes);
  return [...texts, Buffer.from('')];
}

function isRefused({ exitCode, printed }: QpdfRun): boolean {
  return exitCode !== succeeded && exitCode !== succeededWithWarnings && says(printed, /invalid password/);
}

function outcomeOf({
  exitCode,
  printed,
  output,
  outOfMemory,
}: QpdfRun): { bytes: Buffer; hadFaults: boolean } | Failure {
  const hadFaults = exitCode === succeededWithWarnings;
  if (output !== null && (exitCode === succeeded || hadFaults)) return { bytes: output, hadFaults };
  if (outOfMemory || says(printed, /bad_alloc|out of memory/i)) return 'out_of_memory';
  return says(printed, unsupported) ? 'unsupported_encryption' : 'unreadable';
}

async function isEncrypted(files: Readonly<Record<string, Uint8Array>>): Promise<boolean> {
  const { exitCode } = await runQpdf(['--is-encrypted', '--password-file=/password', '/input'], files);
  return exitCode === succeeded;
}

function says(printed: readonly string[], pattern: RegExp): boolean {
  return printed.some((line) => pattern.test(line));
}
