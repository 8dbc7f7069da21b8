/** An uploaded file: an input of jobs until it expires. */
export interface StoredFile {
  readonly id: string;
  readonly object: 'file';
  readonly name: string;
  readonly media_type: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly created_at: string;
  readonly expires_at: string;
}
