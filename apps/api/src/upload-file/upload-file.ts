import { refusedAt } from '#libs/contract';
import { documentName, type FingerprintBody, typeId } from '#libs/domain';
import type { FileStore, StoredFile } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { CreateWork } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import { type FilePart, filePartIdentity, type Part } from '../receive-upload/part.js';
import { fileView } from './file-view.js';

/** Keeps an uploaded file for use in jobs. */
export class UploadFile {
  constructor(
    private readonly decide: DecideOnce,
    private readonly files: FileStore,
    /** How long a file is kept, in milliseconds. */
    private readonly fileTtlMs: number,
  ) {}

  /** @throws RequestRefused */
  async upload(intent: CreateIntent, parts: readonly Part[]): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () => this.workOf(intent, onlyFile(parts)));
  }

  private workOf(intent: CreateIntent, part: FilePart): CreateWork {
    const file = this.fileOf(part);
    const { accountId } = intent.caller;
    const answer = jsonAnswer(201, `/v1/files/${typeId('file', file.id)}`, fileView(file));
    return {
      answerIn: async (tx) => {
        await this.files.insert(tx, { ...file, accountId, objectId: part.upload.objectId });
        return { answer };
      },
    };
  }

  private fileOf(part: FilePart): StoredFile {
    const createdAt = new Date();
    const { sizeBytes, sha256 } = part.upload;
    return {
      id: uuidv7(),
      name: documentName(part.fileName),
      mediaType: part.mediaType,
      sizeBytes,
      sha256,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + this.fileTtlMs),
    };
  }
}

/** What of an upload tells it apart from another. */
export function uploadIdentity(parts: readonly Part[]): FingerprintBody {
  return {
    kind: 'multipart',
    parts: parts.map((part) =>
      part.kind === 'file' ? filePartIdentity(part) : { field: part.field, value: { kind: 'text', text: part.text } },
    ),
  };
}

function onlyFile(parts: readonly Part[]): FilePart {
  const [part, other] = parts;
  if (part === undefined) throw refusedAt('invalid_request', '/file', 'there is no file: send one part named file');
  if (part.kind !== 'file' || part.field !== 'file')
    throw refusedAt(
      'invalid_request',
      `/${part.field.slice(0, 100)}`,
      'send one part named file, with a filename, and nothing else',
    );
  if (other !== undefined)
    throw refusedAt('invalid_request', `/${other.field.slice(0, 100)}`, 'only one part named file is taken');
  if (part.upload.sizeBytes === 0) throw refusedAt('invalid_request', '/file', 'the file is empty');
  return part;
}
