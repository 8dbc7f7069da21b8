import type { FastifyInstance } from 'fastify';
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
  instance.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  instance.addHook('onResponse', async (request, reply) => {
    const { route } = request.routeOptions.config;
    const label = route === undefined ? 'other' : `${route.method} ${route.path}`;
    const isReplayed = reply.hasHeader('idempotent-replayed');
    requests.inc({ route: label, status: String(reply.statusCode) });
    seconds.observe({ route: label }, reply.elapsedTime / 1_000);
    if (isReplayed) replays.inc();
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: label,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        account: request.caller?.accountId ?? null,
        is_keyed: request.idempotencyKey !== null,
        is_replayed: isReplayed,
      },
      'request.answered',
    );
  });
}
