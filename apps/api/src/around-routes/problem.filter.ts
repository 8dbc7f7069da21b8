import { RequestRefused } from '#libs/contract';
import { SecretKeyError } from '#libs/domain';
import { isSchemaMissing, isOutOfTime, isUnavailable } from '#libs/persistence';
import { StorageFull, StorageUnavailable } from '#libs/storage';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { jsonLimitMegabytes } from '../http/json-limit.js';
import { sendProblem } from '../http/send-problem.js';
import { apiKeyRevoked, keyReused } from '../idempotency/refusals.js';
import { unroutable } from './unroutable.js';

/** Where an error of a handler becomes a status: the public sentence goes into the answer, the detail into the log, one request id into both. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = await refusalByKey(error, request).catch((other: unknown) => refusalOf(other, request));
    // A client that leaves in the middle of its body gets no answer, and is no trouble of ours.
    if (refusal.status >= 500 && !request.raw.readableAborted) {
      const hint = isSchemaMissing(error) ? { hint: 'the database is not migrated: run npm run migrate' } : {};
      this.log.error({ err: error, requestId: request.id, code: refusal.code, ...hint }, 'request.failed');
    }
    sendProblem(reply, refusal, request.id);
  }
}

const unreadable: ReadonlySet<string> = new Set(['invalid_json', 'invalid_multipart']);

/** A body that cannot be read is another request than the one that a known key stands for. */
async function refusalByKey(error: unknown, request: FastifyRequest): Promise<RequestRefused> {
  const refusal = refusalOf(error, request);
  if (!unreadable.has(refusal.code) || request.entry === null) return refusal;
  const known = await request.entry.look();
  if (known === null) return refusal;
  return known.isAuthorized ? keyReused() : apiKeyRevoked();
}

/** An error that comes after a statement was sent, such as a lost connection, does not say whether it was committed. */
const whatToDo = 'repeat the request, with the same Idempotency-Key if it had one';

/** Something that the service needs cannot be used now. */
function isOutage(error: unknown): boolean {
  const isKnown = [SecretKeyError, StorageUnavailable].some((kind) => error instanceof kind);
  return isKnown || isUnavailable(error) || isOutOfTime(error) || isSchemaMissing(error);
}

function reasonOf(outage: unknown): string {
  if (!(outage instanceof SecretKeyError)) return 'the service cannot reach what it needs';
  return 'what is stored for this is encrypted with a key that this process does not have in SECRET_KEY';
}

/** The refusal that an error means for the client. */
function refusalOf(error: unknown, request: FastifyRequest): RequestRefused {
  if (error instanceof RequestRefused) return error;
  if (isOutage(error))
    return new RequestRefused('unavailable', `${reasonOf(error)}; ${whatToDo}`, { retryAfterSeconds: 1 });
  if (error instanceof StorageFull)
    return new RequestRefused('storage_full', 'the storage is full; nothing was accepted', { retryAfterSeconds: 30 });
  return frameworkRefusal(error, request) ?? new RequestRefused('internal_error', `the service failed; ${whatToDo}`);
}

function frameworkRefusal(error: unknown, request: FastifyRequest): RequestRefused | null {
  const status = statusOf(error);
  if (status === 415) {
    return new RequestRefused(
      'unsupported_media_type',
      'send application/json or, where files are uploaded, multipart/form-data',
    );
  }
  if (status === 413) return new RequestRefused('request_too_large', jsonTooLarge(request));
  if (status === 404) return unroutable(request.method, request.url);
  if (status < 400 || status >= 500) return null;
  return new RequestRefused('invalid_request', error instanceof Error ? error.message : 'the request is not valid');
}

function jsonTooLarge(request: FastifyRequest): string {
  return `a JSON body may have ${jsonLimitMegabytes(request.routeOptions.config.route)} MB here`;
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : 500;
}
