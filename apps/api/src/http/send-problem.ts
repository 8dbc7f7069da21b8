import { problemOf, type Refusal } from '#libs/contract';
import type { FastifyReply } from 'fastify';
import { discardRest } from './discard-rest.js';

/** Answers with the problem document of a refusal. */
export function sendProblem(reply: FastifyReply, refusal: Refusal, requestId: string): void {
  if (reply.sent) return;
  reply.request.refusalCode = refusal.code;
  const { retryAfterSeconds, headers = {} } = refusal.extra;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  reply.removeHeader('connection');
  discardRest(reply.request.raw, reply.raw);
  void reply
    .status(refusal.status)
    .headers(headers)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/problem+json')
    .send(JSON.stringify(problemOf(refusal, requestId)));
}
