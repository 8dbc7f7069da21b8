import type { StoredDocument } from './stored-document.js';

/** The columns of a document that an outer join may have found. */
export interface DocumentRow {
  readonly object_id: string | null;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
}

/** The document of a row, `null` when the join found none. */
export function documentOf(row: DocumentRow): StoredDocument | null {
  if (row.object_id === null) return null;
  return {
    objectId: row.object_id,
    name: row.name,
    mediaType: row.media_type,
    sizeBytes: row.size,
    sha256: row.sha256,
  };
}
