import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { finished, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RequestRefused } from '#libs/contract';
import { documentMediaType } from '#libs/domain';
import { isUnavailable } from '#libs/persistence';
import { StorageFull, StorageUnavailable } from '#libs/storage';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../http/request-context.js';
import type { Part } from './part.js';
import { boundaryOf, PartCount } from './part-count.js';
import type { StoreUpload } from './store-upload.js';

/** Bounds of one multipart request; times in milliseconds, sizes in bytes. */
export interface UploadLimits {
  readonly maxRequestBytes: number;
  readonly timeoutMs: number;
}

const mostFiles = 1_000;
const mostFields = 20;
const longestField = 1_000_000;
const longestFieldName = 200;

/** Reads a multipart request part by part; files go to the storage while they are hashed and are never held in memory. */
export class ReceiveParts {
  constructor(
    private readonly uploads: StoreUpload,
    private readonly limits: UploadLimits,
  ) {}

  /** @throws RequestRefused `invalid_multipart`, `request_too_large`, `request_timeout` */
  async receive(request: FastifyRequest): Promise<readonly Part[]> {
    const timeout = AbortSignal.timeout(this.limits.timeoutMs);
    const failed = new AbortController();
    const signal = AbortSignal.any([timeout, failed.signal]);
    const form = formOf(request);
    const parts = this.collect(form, callerOf(request).accountId, signal, failed);
    const count = new PartCount(boundaryOf(request.headers['content-type'] ?? ''));
    const body = atMost(this.limits.maxRequestBytes, count);
    finished(request.raw, { writable: false }, (error) => error && failed.abort(error));
    try {
      // The request itself is no part of the pipeline: one that is destroyed would leave its connection stuck.
      await pipeline(request.raw.pipe(body), form, { signal });
      return allOf(await Promise.all(parts), count);
    } catch (error) {
      failed.abort(error);
      request.raw.unpipe(body);
      request.raw.resume();
      await Promise.allSettled(parts);
      throw this.refusalOf(failed.signal.reason ?? error, timeout);
    }
  }

  private collect(
    form: BusboyInstance,
    accountId: string,
    signal: AbortSignal,
    failed: AbortController,
  ): Promise<Part>[] {
    const parts: Promise<Part>[] = [];
    const add = (part: Promise<Part>): void => {
      part.catch((error: unknown) => failed.abort(error));
      parts.push(part);
    };
    form.on('field', (field, text, nameCut, textCut) => add(textPart(field ?? '', text, nameCut || textCut)));
    form.on('file', (field, stream, fileName, _encoding, mediaType) => {
      // A body that ends early is told to whoever reads the part and to the pipeline; the parser also emits it here, after both.
      stream.on('error', () => undefined);
      add(this.filePart({ field: String(field), stream, fileName: fileName ?? '', mediaType, accountId }, signal));
    });
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      form.on(event, () => failed.abort(tooMany()));
    }
    return parts;
  }

  private async filePart(arriving: ArrivingFile, signal: AbortSignal): Promise<Part> {
    const { field, stream, fileName, mediaType, accountId } = arriving;
    checkText(field, fileName);
    const upload = await this.uploads.store(accountId, stream, signal);
    return { kind: 'file', field, fileName, mediaType: documentMediaType(mediaType), upload };
  }

  private refusalOf(error: unknown, timeout: AbortSignal): unknown {
    if (timeout.aborted) {
      const close = { headers: { connection: 'close' } };
      return new RequestRefused('request_timeout', `the body did not arrive within ${this.limits.timeoutMs} ms`, close);
    }
    if (toldAsTheyAre.some((kind) => error instanceof kind) || isOutage(error) || !isMultipartError(error))
      return error;
    return new RequestRefused(
      'invalid_multipart',
      `the multipart body cannot be read: ${error.message}`,
      {},
      { cause: error },
    );
  }
}

interface ArrivingFile {
  readonly field: string;
  readonly stream: BusboyFileStream;
  readonly fileName: string;
  readonly mediaType: string;
  readonly accountId: string;
}

function formOf(request: FastifyRequest): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: {
        files: mostFiles,
        fields: mostFields,
        fieldSize: longestField,
        fieldNameSize: longestFieldName,
        headerPairs: 50,
      },
    });
  } catch (error) {
    throw new RequestRefused(
      'invalid_multipart',
      error instanceof Error ? error.message : 'the Content-Type has no boundary',
      {},
      { cause: error },
    );
  }
}

/** What the parser puts in place of bytes that are no UTF-8. */
const replacement = '\ufffd';

function checkText(...texts: readonly string[]): void {
  if (!texts.some((text) => text.includes(replacement))) return;
  throw new RequestRefused(
    'invalid_multipart',
    'a name or a text of the multipart body is not UTF-8, or contains U+FFFD',
  );
}

async function textPart(field: string, text: string, isCut: boolean): Promise<Part> {
  checkText(field, text);
  if (isCut) throw new RequestRefused('request_too_large', `the field ${field.slice(0, 100)} or its name is too long`);
  return { kind: 'text', field, text };
}

function tooMany(): RequestRefused {
  return new RequestRefused('request_too_large', `a request may have ${mostFiles} files and ${mostFields} fields`);
}

/** @throws RequestRefused `invalid_multipart` when the parser left a part out */
function allOf(parts: readonly Part[], count: PartCount): readonly Part[] {
  if (parts.length === count.parts) return parts;
  const detail = `the multipart body has ${count.parts} parts and ${parts.length} can be read: each needs Content-Disposition: form-data with a name, before the closing boundary`;
  throw new RequestRefused('invalid_multipart', detail);
}

function atMost(maxBytes: number, count: PartCount): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      count.take(chunk);
      if (bytes > maxBytes) done(new RequestRefused('request_too_large', `a request may have ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
}

const toldAsTheyAre = [RequestRefused, StorageFull, StorageUnavailable];

/** What the database says of itself; a reset connection may be the client's as well, and is told as that. */
function isOutage(error: unknown): boolean {
  return isUnavailable(error) && (error as NodeJS.ErrnoException).code !== 'ECONNRESET';
}

/** The parser's own errors, and those of a body that ended early, have no system code of the storage. */
function isMultipartError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET';
}
