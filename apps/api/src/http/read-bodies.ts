import { refusedAt, RequestRefused } from '#libs/contract';
import { parseStrictJson, StrictJsonError } from '#libs/domain';
import type { FastifyInstance } from 'fastify';
import { jsonLimitMegabytes } from './json-limit.js';

const megabyte = 1_000_000;

/** A body of JSON, as sent. */
export interface JsonBody {
  readonly kind: 'json';
  readonly json: unknown;
}

/** A multipart body that has not been read yet. */
export interface MultipartBody {
  readonly kind: 'multipart';
}

/** What a route that takes a body is given; nothing when none was sent. */
export type RequestBody = JsonBody | MultipartBody | undefined;

/** Reads JSON strictly, as much as the route takes, and leaves multipart to its route. Every other media type is refused. */
export function readBodies(instance: FastifyInstance): void {
  instance.addHook('onRoute', (options) => {
    options.bodyLimit = jsonLimitMegabytes(options.config?.route) * megabyte;
  });
  instance.addHook('onRequest', (request, _reply, done) => {
    const coding = request.headers['content-encoding'] ?? 'identity';
    if (coding.toLowerCase() === 'identity') done();
    else done(new RequestRefused('unsupported_media_type', 'send the body without a Content-Encoding'));
  });
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, jsonBody(body as Buffer));
    } catch (error) {
      done(refusalOf(error));
    }
  });
  instance.addContentTypeParser('multipart/form-data', (_request, _payload, done) => {
    done(null, { kind: 'multipart' } satisfies MultipartBody);
  });
}

/** Some clients name a type even where they send nothing. */
function jsonBody(body: Buffer): RequestBody {
  return body.length === 0 ? undefined : { kind: 'json', json: parseStrictJson(decode(body)) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch (error) {
    throw new RequestRefused('invalid_json', 'the body is not UTF-8', {}, { cause: error });
  }
}

function refusalOf(error: unknown): Error {
  if (!(error instanceof StrictJsonError)) return error as Error;
  return refusedAt('invalid_json', error.pointer, error.message);
}
