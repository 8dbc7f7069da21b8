import { RequestRefused, routes, validate } from '#libs/contract';
import { SecretKeyring } from '#libs/domain';
import { EndpointStore } from '#libs/persistence';
import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { Handles } from '../http/handles.js';
import { listView } from '../http/list-view.js';
import { notFound } from '../http/not-found.js';
import { pathId } from '../http/path-id.js';
import { queryId } from '../http/query-id.js';
import type { RequestBody } from '../http/read-bodies.js';
import { callerOf } from '../http/request-context.js';
import { sendAnswer } from '../http/send-answer.js';
import { createIntent } from '../idempotency/create-intent.js';
import { CreateEndpoint } from './create-endpoint.js';
import { endpointView } from './endpoint-view.js';
import { UpdateEndpoint } from './update-endpoint.js';

/** Webhook endpoints. */
@Controller()
export class ManageEndpointsController {
  constructor(
    private readonly createEndpoint: CreateEndpoint,
    private readonly updateEndpoint: UpdateEndpoint,
    private readonly endpoints: EndpointStore,
    private readonly keyring: SecretKeyring,
  ) {}

  @Handles(routes.createEndpoint)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const json = jsonOf(request);
    sendAnswer(reply, await this.createEndpoint.create(createIntent(request, { kind: 'json', json }), json));
  }

  @Handles(routes.listEndpoints)
  async list(@Req() request: FastifyRequest) {
    const { limit, cursor } = validate(routes.listEndpoints.query, request.query, 'query');
    const before = queryId('ep', 'cursor', cursor);
    const endpoints = await this.endpoints.list(callerOf(request).accountId, { before, limit: limit + 1 });
    return listView(endpoints, { limit, prefix: 'ep' }, (endpoint) => endpointView(endpoint, this.keyring));
  }

  @Handles(routes.readEndpoint)
  async read(@Param('endpoint_id') id: string, @Req() request: FastifyRequest) {
    const endpoint = found(await this.endpoints.find(callerOf(request).accountId, pathId('ep', id)), id);
    return endpointView(endpoint, this.keyring);
  }

  @Handles(routes.updateEndpoint)
  async update(@Param('endpoint_id') id: string, @Req() request: FastifyRequest) {
    const { accountId } = callerOf(request);
    const { id: endpointId } = found(await this.endpoints.find(accountId, pathId('ep', id)), id);
    return endpointView(await this.updateEndpoint.update(accountId, endpointId, jsonOf(request)), this.keyring);
  }

  @Handles(routes.deleteEndpoint)
  async delete(@Param('endpoint_id') id: string, @Req() request: FastifyRequest): Promise<void> {
    const isDeleted = await this.endpoints.markDeleted(callerOf(request).accountId, pathId('ep', id));
    if (!isDeleted) throw notFound(id);
  }
}

/** @throws RequestRefused `unsupported_media_type` */
function jsonOf(request: FastifyRequest): unknown {
  const body = request.body as RequestBody;
  if (body?.kind !== 'json') throw new RequestRefused('unsupported_media_type', 'send application/json');
  return body.json;
}
