import type { FingerprintPart } from '#libs/domain';
import type { StoredUpload } from './store-upload.js';

/** A text part. */
export interface TextPart {
  readonly kind: 'text';
  readonly field: string;
  readonly text: string;
}

/** A file part whose bytes are stored. */
export interface FilePart {
  readonly kind: 'file';
  readonly field: string;
  /** As sent. */
  readonly fileName: string;
  readonly mediaType: string;
  readonly upload: StoredUpload;
}

/** One part of a multipart request, in the order in which they were sent. */
export type Part = TextPart | FilePart;

/** What of a file part tells two requests apart: its content and its name. */
export function filePartIdentity(part: FilePart): FingerprintPart {
  return { field: part.field, value: { kind: 'file', fileName: part.fileName, sha256: part.upload.sha256 } };
}

const longestName = 255;
const unfit = /[\u0000-\u001f\u007f]/g;

/** A file name that is safe to store and show: no path, no control characters, not empty, at most 255 characters. */
export function documentName(fileName: string): string {
  const base = fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = base.replace(unfit, '').trim().slice(0, longestName).toWellFormed();
  return name === '' || name === '.' || name === '..' ? 'document.pdf' : name;
}

const longestMediaType = 100;

/** The type and subtype of a part's media type (RFC 9110, section 8.3.1), without parameters; what is none counts as bytes. */
export function documentMediaType(text: string): string {
  const type = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/.exec(text)?.[0]?.toLowerCase() ?? '';
  return type === '' || type.length > longestMediaType ? 'application/octet-stream' : type;
}
