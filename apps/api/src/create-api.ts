import { RequestRefused } from '#libs/contract';
import { ApiKeyStore } from '#libs/persistence';
import { type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { uuidv7 } from 'uuidv7';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AwaitWork } from './answer-when-ended/await-work.js';
import type { ApiParts } from './api-parts.js';
import { Authenticate } from './around-routes/authenticate.js';
import { guardRoutes } from './around-routes/guard-routes.js';
import { logRequests } from './around-routes/log-requests.js';
import { ProblemFilter } from './around-routes/problem.filter.js';
import { refuseExpectations, refuseUnparsable } from './around-routes/refuse-unparsable.js';
import { readBodies } from './http/read-bodies.js';
import { sendProblem } from './http/send-problem.js';
import { Entrance } from './idempotency/entrance.js';

const exposedHeaders = [
  'Idempotent-Replayed',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

/** The HTTP application around a root module that contains the API. */
export async function createApi(root: DynamicModule, parts: ApiParts): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    genReqId: newRequestId,
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    // Held requests are answered before the listener closes, so no client waits for its own time-out.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1_000 },
    frameworkErrors: refuseUnroutable,
    clientErrorHandler: refuseUnparsable(newRequestId),
  });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  const instance = adapter.getInstance<FastifyInstance>();
  // Node drops headers beyond a count without a word; their size is bounded all the same.
  app.getHttpServer().maxHeadersCount = 0;
  refuseExpectations(app.getHttpServer(), newRequestId);
  readBodies(instance);
  logRequests(instance, parts.log);
  guardRoutes(instance, {
    authenticate: new Authenticate(app.get(ApiKeyStore, { strict: false }), () => performance.now()),
    entrance: app.get(Entrance, { strict: false }),
    requireKey: parts.config.REQUIRE_IDEMPOTENCY_KEY,
  });
  app.useGlobalFilters(new ProblemFilter(parts.log));
  app.enableCors({ origin: true, exposedHeaders, strictPreflight: false });
  return app;
}

function newRequestId(): string {
  return `req_${uuidv7().replaceAll('-', '')}`;
}

/** A path that the router cannot read reaches no filter. */
function refuseUnroutable(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('x-request-id', request.id);
  sendProblem(reply, new RequestRefused('not_found', 'the path cannot be read, so it names nothing'), request.id);
}

const idleCheckMs = 50;

/**
 * Ends held requests and takes no new ones, then closes what the application runs; requests under way are finished.
 *
 * @param cutOffMs after which a client that is still sending or reading is cut off
 */
export async function closeApi(app: NestFastifyApplication, cutOffMs: number): Promise<void> {
  app.get(AwaitWork, { strict: false }).close();
  // A connection becomes idle when its last answer was sent, which may be after the listener closed.
  const server = app.getHttpServer();
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const cutOff = setTimeout(() => server.closeAllConnections(), cutOffMs);
  try {
    await app.getHttpAdapter().getInstance().close();
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(cutOff);
  }
}
