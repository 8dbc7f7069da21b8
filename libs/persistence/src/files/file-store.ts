import type { Queryable, Tx } from '../database/database.js';
import { documentOf, type DocumentRow } from './document-row.js';
import { deleteFile, findFile, findUsableFiles, insertFile } from './file.sql.js';
import type { StoredDocument } from './stored-document.js';

/** An uploaded file; ids are UUIDs, SHA-256 in hexadecimal. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** A file to store: whose it is, and the complete object that holds its bytes. */
export interface NewFile extends StoredFile {
  readonly accountId: string;
  readonly objectId: string;
}

/** A file as an account names it; ids are UUIDs. */
export interface FileReference {
  readonly accountId: string;
  readonly fileId: string;
}

interface FileRow {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Uploaded files. An expired one counts as absent, by the clock of the database, before it is pruned. */
export class FileStore {
  constructor(private readonly database: Queryable) {}

  /** The account's file, `null` when it has none of that id. */
  async find(accountId: string, fileId: string): Promise<StoredFile | null> {
    const [row] = await this.database.query<FileRow>(findFile, [accountId, fileId]);
    return row === undefined ? null : fileOf(row);
  }

  /** Writes a file in the transaction that takes its key. */
  async insert(tx: Tx, file: NewFile): Promise<void> {
    const { id, accountId, objectId, name, mediaType, sizeBytes, sha256, createdAt, expiresAt } = file;
    await tx.query(insertFile, [id, accountId, objectId, name, mediaType, sizeBytes, sha256, createdAt, expiresAt]);
  }

  /**
   * Deletes the account's file; `false` when it has none of that id. Its object stays for jobs that refer to it, and is garbage when
   * none does.
   */
  async delete(accountId: string, fileId: string): Promise<boolean> {
    const rows = await this.database.query(deleteFile, [accountId, fileId]);
    return rows.length === 1;
  }

  /** What jobs may read of files: one entry for each reference, in their order, `null` where the account has no such file. */
  async findUsable(references: readonly FileReference[]): Promise<readonly (StoredDocument | null)[]> {
    const rows = await this.database.query<DocumentRow>(findUsableFiles, [
      references.map(({ accountId }) => accountId),
      references.map(({ fileId }) => fileId),
    ]);
    return rows.map(documentOf);
  }
}

function fileOf(row: FileRow): StoredFile {
  return {
    id: row.id,
    name: row.name,
    mediaType: row.media_type,
    sizeBytes: row.size,
    sha256: row.sha256,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
