import { readFile } from 'node:fs/promises';
import { PDFDict, PDFName } from 'pdf-lib';
import type { Normalised } from '../../normalise/normalise-document.js';
import { normaliseDocument } from '../../normalise/normalise-document.js';
import { rebuildCrossReference } from '../../normalise/rebuild-cross-reference.js';
import type { InputFile } from '../../operation.js';
import { mostObjectStreamBytes, ObjectStreamsTooLarge } from '../../scan/inflate-object-stream.js';
import type { ScanFault } from '../../scan/scan-bytes.js';
import { scanBytes } from '../../scan/scan-bytes.js';
import { isAllocationFailure, OutOfMemory } from '../failure/allocation-failure.js';
import {
  corruptDocument,
  DocumentFailed,
  noPages,
  passwordInvalid,
  passwordRequired,
  tooManyPackedObjects,
  tooManyPages,
  unsupportedFeature,
} from '../failure/document-failure.js';
import type { DocumentWarning } from '../failure/document-warnings.js';
import { guard } from '../failure/guard.js';
import type { ParsedDocument } from './parse-document.js';
import { parseDocument, recoverDocument, withOwnPageTree } from './parse-document.js';
import type { Source } from './source.js';

type Opened = Pick<Source, 'document' | 'pages' | 'warnings'>;
type Rewritten = Extract<Normalised, { outcome: 'rewritten' }>;

/** An input that is not open yet. */
interface Unopened {
  readonly input: number;
  readonly bytes: Buffer;
  readonly password: string | null;
  readonly faults: ReadonlySet<ScanFault>;
}

const shownValue = /^[/\w.-]{1,40}$/;

/**
 * Reads one input: as it is when nothing speaks against that, otherwise decrypted, rewritten or repaired. Throws `DocumentFailed` when it
 * is no PDF, does not open with the password, is damaged beyond that, is empty, or when its pages come on top of `pagesBefore` to
 * more than `maxPages`; a file that cannot be read at all is an ordinary error.
 */
export async function openDocument(
  file: InputFile,
  input: number,
  { pagesBefore, maxPages }: { pagesBefore: number; maxPages: number },
): Promise<Source> {
  const scan = scanBytes(await readFile(file.path), input);
  if (scan.verdict === 'refused') throw new DocumentFailed(scan.failure);
  const faults = scan.verdict === 'direct' ? new Set<ScanFault>() : scan.faults;
  return guard(corruptDocument(input), async () => {
    const opened = await open({ input, bytes: scan.bytes, password: file.password, faults });
    if (opened.pages.length === 0) throw new DocumentFailed(noPages(input));
    const pages = pagesBefore + opened.pages.length;
    if (pages > maxPages) throw new DocumentFailed(tooManyPages(input, pages, maxPages));
    return { ...opened, input, name: file.name };
  });
}

async function open(unopened: Unopened): Promise<Opened> {
  try {
    if (unopened.faults.size > 0) return await openNormalised(unopened);
    const direct = await unlessUnreadable(() => parseDocument(unopened.bytes));
    if (direct?.document.isEncrypted === true)
      return await openNormalised({ ...unopened, faults: new Set(['encrypted']) });
    return direct?.isSound === true ? opened(direct, []) : await openNormalised(unopened);
  } catch (error) {
    if (!(error instanceof ObjectStreamsTooLarge)) throw error;
    throw new DocumentFailed(tooManyPackedObjects(unopened.input, mostObjectStreamBytes));
  }
}

async function openNormalised(unopened: Unopened): Promise<Opened> {
  const { bytes, password, faults } = unopened;
  const normalised = await normaliseDocument(bytes, { password, mayBeEncrypted: faults.has('encrypted') });
  if (normalised.outcome === 'rewritten') return openRewritten(normalised, faults.has('after_end'));
  if (normalised.outcome !== 'unreadable') return fail(unopened, normalised.outcome);
  const recovered = await recoverDocument(bytes);
  if (!recovered.document.isEncrypted) return opened(recovered, ['repaired']);
  const rebuilt = rebuildCrossReference(bytes, recovered.document.context.trailerInfo);
  const again = await normaliseDocument(rebuilt, { password, mayBeEncrypted: true });
  return again.outcome === 'rewritten' ? openRewritten(again, true) : fail(unopened, again.outcome);
}

async function openRewritten(rewritten: Rewritten, isDamaged: boolean): Promise<Opened> {
  const strict = await unlessUnreadable(() => parseDocument(rewritten.bytes));
  const parsed = strict ?? (await recoverDocument(rewritten.bytes));
  const warnings: DocumentWarning[] = isDamaged || rewritten.hadFaults || !parsed.isSound ? ['repaired'] : [];
  if (rewritten.wasEncrypted) warnings.push('decrypted');
  return opened(parsed.isSound ? parsed : withOwnPageTree(parsed), warnings);
}

async function fail({ input, bytes }: Unopened, outcome: Exclude<Normalised['outcome'], 'rewritten'>): Promise<never> {
  switch (outcome) {
    case 'password_required':
      throw new DocumentFailed(passwordRequired(input));
    case 'password_invalid':
      throw new DocumentFailed(passwordInvalid(input));
    case 'unsupported_encryption':
      throw new DocumentFailed(unsupportedFeature(input, `the encryption ${await encryptionOf(bytes)}`));
    case 'out_of_memory':
      throw new OutOfMemory('qpdf got no more memory.');
    case 'unreadable':
      throw new DocumentFailed(corruptDocument(input));
  }
}

function opened({ document, pages }: ParsedDocument, warnings: readonly DocumentWarning[]): Opened {
  return { document, pages, warnings };
}

/** `null` when the library cannot read it; limits and a lack of memory are no such case. */
async function unlessUnreadable<T>(parse: () => Promise<T>): Promise<T | null> {
  try {
    return await parse();
  } catch (error) {
    if (error instanceof ObjectStreamsTooLarge || isAllocationFailure(error)) throw error;
    return null;
  }
}

/** What the file says of its encryption, as far as it is text that may be shown. */
async function encryptionOf(bytes: Buffer): Promise<string> {
  const { context } = (await recoverDocument(bytes)).document;
  const dictionary = context.lookup(context.trailerInfo.Encrypt);
  if (!(dictionary instanceof PDFDict)) return 'of an unknown kind';
  const entries = ['Filter', 'SubFilter', 'V', 'R'].flatMap((key) => {
    const value = dictionary.get(PDFName.of(key))?.toString();
    return value !== undefined && shownValue.test(value) ? [`${key} ${value}`] : [];
  });
  return entries.join(', ');
}
