import type { CallOptions, WriteOptions } from '../client-options.js';
import { pathOf } from '../request/path.js';
import type { Accepted, Requests } from '../request/requests.js';
import { type Upload, uploadBody } from '../upload/upload.js';
import type { StoredFile } from '../wire/stored-file.js';

/** The uploaded files of the account. */
export class Files {
  constructor(private readonly requests: Requests) {}

  /** Sends a document, which is read while it is sent. */
  upload(file: Upload, options: WriteOptions = {}): Promise<Accepted<StoredFile>> {
    return this.requests.post(pathOf('files'), uploadBody('file', [file]), options);
  }

  get(fileId: string, options?: CallOptions): Promise<StoredFile> {
    return this.requests.get(pathOf('files', fileId), options);
  }

  /** Deletes a file; jobs that were accepted with it keep what they need. */
  delete(fileId: string, options?: CallOptions): Promise<void> {
    return this.requests.delete(pathOf('files', fileId), options);
  }
}
