import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutTable, withWrongOffsets } from '../../support/documents/make-damaged.js';
import { encrypt } from '../../support/documents/make-encrypted.js';
import { makeRichDocument } from '../../support/documents/make-rich-document.js';
import { makeSharedBook } from '../../support/documents/make-shared-book.js';
import { makeLogoPage } from '../../support/documents/make-shared-logo.js';
import { withObjectStreams } from '../../support/documents/make-variants.js';
import { qpdfCodes } from './run-program.js';
import type { Product } from './run-product.js';

/** How many documents a merge of the bench takes. */
export const mergedDocuments = 20;

/** The documents of one merge. */
export interface MergeInputs {
  readonly title: string;
  readonly paths: readonly string[];
}

/** What the product says of a document that it opens by itself, or after it was repaired or decrypted; `null` where it cannot open it. */
type Opening = 'direct' | 'normalised' | null;

/**
 * Twenty documents of a folder that open as they are, and twenty of which some have to be repaired or decrypted first, if there are such. What
 * either program cannot open is left out.
 */
export async function inputsOf(
  { product, root }: { readonly product: Product; readonly root: string },
  folder: string,
  kind: 'real' | 'generated',
): Promise<MergeInputs[]> {
  const direct: string[] = [];
  const normalised: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name);
    const opening = name.endsWith('.pdf') ? await openingOf(product, path, join(root, 'probe.pdf')) : null;
    if (opening === 'direct') direct.push(path);
    if (opening === 'normalised') normalised.push(path);
  }
  const some = normalised.slice(0, mergedDocuments / 2);
  const mixed = [...some, ...direct.slice(0, mergedDocuments - some.length)].sort();
  return [
    mergeOf(`${kind} documents that open as they are`, direct.slice(0, mergedDocuments)),
    ...(some.length === 0 ? [] : [mergeOf(`${kind} documents, ${some.length} of them repaired or decrypted`, mixed)]),
  ];
}

/** Fills a folder with documents: twenty that are in order, and four that are damaged or encrypted. */
export async function generateDocuments(folder: string): Promise<void> {
  await mkdir(folder);
  const damaged = [
    withWrongOffsets(await makeRichDocument('wrong offsets')),
    withoutTable(await makeRichDocument('no table')),
    await encrypt(await makeRichDocument('encrypted 1'), 'aes-128', { user: '', owner: 'owner' }),
    await encrypt(await makeLogoPage('encrypted 2'), 'rc4-128', { user: '', owner: 'owner' }),
  ];
  const sound = await Promise.all(Array.from({ length: mergedDocuments }, (_, index) => generated(index)));
  for (const [index, bytes] of [...sound, ...damaged].entries())
    await writeFile(join(folder, `${String(index).padStart(2, '0')}.pdf`), bytes);
}

function mergeOf(title: string, paths: readonly string[]): MergeInputs {
  return { title: `merge of ${paths.length} ${title}`, paths };
}

async function generated(index: number): Promise<Uint8Array> {
  if (index % 5 === 0) return makeSharedBook({ pages: 20 });
  const bytes = index % 2 === 0 ? await makeLogoPage(`logo ${index}`) : await makeRichDocument(`document ${index}`);
  return index % 3 === 0 ? withObjectStreams(bytes) : bytes;
}

async function openingOf(product: Product, path: string, output: string): Promise<Opening> {
  const warnings = await product.run({ operation: 'merge', options: {}, paths: [path] }, async (result) =>
    result.outcome === 'completed' ? result.warnings : null,
  );
  const bytes = await readFile(path);
  if (warnings === null || !mergesWithQpdf(path, output)) return null;
  return warnings.includes('repaired') || bytes.includes('/Encrypt') ? 'normalised' : 'direct';
}

/** Both have to be given the same; qpdf opens some documents that it cannot merge. */
function mergesWithQpdf(path: string, output: string): boolean {
  const { status } = spawnSync('qpdf', ['--empty', '--pages', path, '--', output], { stdio: 'ignore' });
  return qpdfCodes.includes(status ?? -1);
}
