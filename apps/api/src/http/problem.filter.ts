import { problemOf, RequestRefused } from '#libs/contract';
import { SecretKeyError } from '#libs/domain';
import { isUnavailable } from '#libs/persistence';
import { StorageFull } from '#libs/storage';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** The only place where an error becomes a status: the public sentence goes into the answer, the detail into the log, one request id into both. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const refusal = refusalOf(error);
    if (refusal.status >= 500)
      this.log.error({ err: error, request_id: request.id, code: refusal.code }, 'request.failed');
    sendProblem(reply, refusal, request.id);
  }
}

/** Answers with the problem document of a refusal. */
export function sendProblem(reply: FastifyReply, refusal: RequestRefused, requestId: string): void {
  if (reply.sent) return;
  const { retryAfterSeconds, headers = {} } = refusal.extra;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  void reply
    .status(refusal.status)
    .headers(headers)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/problem+json')
    .send(JSON.stringify(problemOf(refusal, requestId)));
}

/** An error that comes after a statement was sent, such as a lost connection, does not say whether it was committed. */
const whatToDo = 'repeat the request, with the same Idempotency-Key if it had one';

/** The refusal that an error means for the client. */
function refusalOf(error: unknown): RequestRefused {
  if (error instanceof RequestRefused) return error;
  if (isUnavailable(error) || error instanceof SecretKeyError) {
    return new RequestRefused('unavailable', `the service cannot reach what it needs; ${whatToDo}`, {
      retryAfterSeconds: 1,
    });
  }
  if (error instanceof StorageFull)
    return new RequestRefused('storage_full', 'the storage is full; nothing was accepted', { retryAfterSeconds: 30 });
  return frameworkRefusal(error) ?? new RequestRefused('internal_error', `the service failed; ${whatToDo}`);
}

function frameworkRefusal(error: unknown): RequestRefused | null {
  const status = statusOf(error);
  if (status === 415) {
    return new RequestRefused(
      'unsupported_media_type',
      'send application/json or, where files are uploaded, multipart/form-data',
    );
  }
  if (status === 413) return new RequestRefused('request_too_large', 'a JSON body may have 1 MB');
  if (status === 404) return new RequestRefused('not_found', 'this path and method name nothing');
  if (status < 400 || status >= 500) return null;
  return new RequestRefused('invalid_request', error instanceof Error ? error.message : 'the request is not valid');
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : 500;
}
