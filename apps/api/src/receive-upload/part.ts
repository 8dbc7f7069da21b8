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
