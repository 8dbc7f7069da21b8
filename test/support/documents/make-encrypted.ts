import { runQpdfModule } from './qpdf-module.js';

/** The ways to encrypt that qpdf can write, and what it is told for each. */
const methods = {
  'rc4-40': ['40'],
  'rc4-128': ['128', '--use-aes=n'],
  'aes-128': ['128', '--use-aes=y'],
  'aes-256-r5': ['256', '--force-R5'],
  'aes-256': ['256'],
} as const;

/** One of the ways to encrypt. */
export type EncryptionMethod = keyof typeof methods;
export const encryptionMethods = Object.keys(methods) as readonly EncryptionMethod[];

/** An empty user password opens the document for everybody. */
export interface Passwords {
  readonly user: string;
  readonly owner: string;
}

/** Encrypts a document. Rows 13, 14 and 16 of the research. For AES-256 the bytes are others each time: the format demands it. */
export async function encrypt(bytes: Uint8Array, method: EncryptionMethod, passwords: Passwords): Promise<Uint8Array> {
  const encryption = ['--encrypt', passwords.user, passwords.owner, ...methods[method], '--'];
  return rewrite(bytes, ['--allow-weak-crypto', '--static-id', '--static-aes-iv', ...encryption]);
}

/** Has qpdf write a document again. */
export async function rewrite(bytes: Uint8Array, args: readonly string[]): Promise<Uint8Array> {
  const { code, complaints, read } = await runQpdfModule([...args, '/in.pdf', '/out.pdf'], { '/in.pdf': bytes });
  if (code !== 0) throw new Error(`qpdf ended with ${code}: ${complaints}`);
  return read('/out.pdf');
}
