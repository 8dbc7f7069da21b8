import { RequestRefused } from '#libs/contract';
import type { OutputFound } from '#libs/persistence';
import { BlobNotFound, type BlobStore } from '#libs/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readByteRange } from './byte-range.js';

type Conditions = Pick<FastifyRequest, 'headers'>;

/** Sends an output's bytes: whole or a range, with its SHA-256 as ETag. */
export class SendOutput {
  constructor(private readonly blobs: BlobStore) {}

  /**
   * @param request its headers are the conditions and the range
   * @throws RequestRefused `output_expired`, `range_not_satisfiable`
   */
  async send(request: Conditions, reply: FastifyReply, output: OutputFound): Promise<FastifyReply> {
    if (output.objectName === null) throw expired(output);
    const etag = `"${output.sha256}"`;
    reply.headers({
      etag,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': disposition(output.name),
      'content-type': output.mediaType,
      'x-content-type-options': 'nosniff',
    });
    if (matches(request.headers['if-none-match'], etag)) return reply.status(304).send();
    return this.sendBytes(request, reply, output, output.objectName);
  }

  private async sendBytes(
    request: Conditions,
    reply: FastifyReply,
    output: OutputFound,
    objectName: string,
  ): Promise<FastifyReply> {
    const { sizeBytes } = output;
    const range = isStale([request.headers['if-range'] ?? []].flat()[0], output.sha256)
      ? { kind: 'whole' as const }
      : readByteRange(request.headers.range, sizeBytes);
    if (range.kind === 'unsatisfiable') {
      throw new RequestRefused('range_not_satisfiable', `the output has ${sizeBytes} bytes`, {
        headers: { 'content-range': `bytes */${sizeBytes}` },
      });
    }
    if (range.kind === 'whole') {
      const bytes = await this.open(objectName, output);
      return reply.status(200).header('content-length', sizeBytes).send(bytes);
    }
    const bytes = await this.open(objectName, output, { start: range.start, end: range.end });
    reply.header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
    return reply
      .status(206)
      .header('content-length', range.end - range.start + 1)
      .send(bytes);
  }

  private async open(
    objectName: string,
    output: OutputFound,
    range?: { readonly start: number; readonly end: number },
  ) {
    try {
      return await this.blobs.get(objectName, range);
    } catch (error) {
      if (error instanceof BlobNotFound && output.expiresAt.getTime() <= Date.now()) throw expired(output);
      throw error;
    }
  }
}

function expired(output: OutputFound): RequestRefused {
  return new RequestRefused('output_expired', `the output expired at ${output.expiresAt.toISOString()}`);
}

function matches(header: string | undefined, etag: string): boolean {
  return header !== undefined && header.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}

function isStale(ifRange: string | undefined, sha256: string): boolean {
  return ifRange !== undefined && ifRange !== `"${sha256}"`;
}

/** RFC 6266, with the plain name for those that do not read RFC 8187. */
function disposition(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
