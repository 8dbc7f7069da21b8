/** A document in the store that a job may read. SHA-256 in hexadecimal. */
export interface StoredDocument {
  readonly objectId: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}
