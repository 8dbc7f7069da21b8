import { typeId, uuidOf } from '#libs/domain';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram } from 'prom-client';
import type { Logger } from 'pino';

const requests = new Counter({
  name: 'pdfonce_http_requests_total',
  help: 'Answered requests',
  labelNames: ['route', 'status'],
});
const replays = new Counter({ name: 'pdfonce_replays_total', help: 'Answers that were replays' });
const seconds = new Histogram({
  name: 'pdfonce_http_request_seconds',
  help: 'Time to the end of the answer',
  labelNames: ['route'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 60],
});

/** One log record and one count for each answered request; every answer carries the id that the log has. */
export function logRequests(instance: FastifyInstance, log: Logger): void {
  instance.decorateRequest('refusalCode', null);
  instance.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  instance.addHook('onResponse', (request, reply, done) => {
    const { route } = request.routeOptions.config;
    const label = route === undefined ? 'other' : `${route.method} ${route.path}`;
    const isReplayed = reply.hasHeader('idempotent-replayed');
    requests.inc({ route: label, status: String(reply.statusCode) });
    seconds.observe({ route: label }, reply.elapsedTime / 1_000);
    if (isReplayed) replays.inc();
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route: label,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        accountId: request.caller === null ? null : typeId('acct', request.caller.accountId),
        jobId: jobIdOf(request, reply),
        isKeyed: request.idempotencyKey !== null,
        isReplayed,
        code: request.refusalCode,
      },
      'request.answered',
    );
    done();
  });
}

/** The job that a request names, or that its answer leads to. */
function jobIdOf(request: FastifyRequest, reply: FastifyReply): string | null {
  const named = (request.params as { readonly job_id?: string } | undefined)?.job_id;
  if (named !== undefined) return uuidOf('job', named) === null ? null : named;
  return /^\/v1\/jobs\/(\w+)$/.exec(String(reply.getHeader('location') ?? ''))?.[1] ?? null;
}
