import type { StoredAnswer } from '#libs/persistence';
import type { FastifyReply } from 'fastify';

/** An answer of a create request. */
export interface DecidedAnswer {
  readonly answer: StoredAnswer;
  readonly isReplayed: boolean;
}

/** Sends a stored answer, byte for byte, and says whether it is a replay. As text, which Node writes together with the header. */
export function sendAnswer(reply: FastifyReply, { answer, isReplayed }: DecidedAnswer): FastifyReply {
  if (answer.location !== null) reply.header('location', answer.location);
  if (isReplayed) reply.header('idempotent-replayed', 'true');
  return reply
    .status(answer.status)
    .header('cache-control', 'no-store')
    .header('content-type', answer.contentType)
    .send(answer.body);
}
