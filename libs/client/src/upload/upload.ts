import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { RequestBody } from '../request/request-body.js';
import { type FieldPart, type FilePart, multipartBody } from './multipart-body.js';
import type { UploadSource } from './upload-source.js';

/** A document to send. Its name and its bytes count when the service compares two requests under one key. */
export interface Upload {
  readonly content: UploadSource;
  /** That of the file, or `document.pdf`, when left out. */
  readonly name?: string | undefined;
  /** `application/pdf` when left out, unless a blob has a type. */
  readonly mediaType?: string | undefined;
}

/** The body of a request that sends documents. */
export function uploadBody(field: string, uploads: readonly Upload[], fields: readonly FieldPart[] = []): RequestBody {
  const parts = uploads.map((upload) => partOf(field, upload));
  return multipartBody(fields, parts, `pdfonce-${randomUUID()}`);
}

function partOf(name: string, { content, ...upload }: Upload): FilePart {
  return {
    name,
    fileName: upload.name ?? nameOf(content),
    mediaType: upload.mediaType ?? (ownType(content) || 'application/pdf'),
    source: content,
  };
}

function nameOf(content: UploadSource): string {
  if ('path' in content) return basename(content.path);
  return 'name' in content && typeof content.name === 'string' ? content.name : 'document.pdf';
}

function ownType(content: UploadSource): string {
  return 'type' in content ? content.type : '';
}
