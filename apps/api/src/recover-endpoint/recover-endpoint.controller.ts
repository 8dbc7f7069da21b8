import { RequestRefused, routes, validate } from '#libs/contract';
import { EndpointStore, RecoveryStore } from '#libs/persistence';
import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { Handles } from '../http/handles.js';
import { listView } from '../http/list-view.js';
import { noBody } from '../http/no-body.js';
import { pathId } from '../http/path-id.js';
import { queryId } from '../http/query-id.js';
import type { RequestBody } from '../http/read-bodies.js';
import { callerOf } from '../http/request-context.js';
import { sendAnswer } from '../http/send-answer.js';
import { createIntent } from '../idempotency/create-intent.js';
import { RecoverEndpoint } from './recover-endpoint.js';
import { recoveryView } from './recovery-view.js';

/** Recoveries of webhook endpoints. */
@Controller()
export class RecoverEndpointController {
  constructor(
    private readonly recoverEndpoint: RecoverEndpoint,
    private readonly recoveries: RecoveryStore,
    private readonly endpoints: EndpointStore,
  ) {}

  @Handles(routes.recoverEndpoint)
  async recover(
    @Param('endpoint_id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = request.body as RequestBody;
    if (body?.kind !== 'json') {
      found(await this.endpoints.find(callerOf(request).accountId, pathId('ep', id)), id);
      throw new RequestRefused('unsupported_media_type', 'send application/json');
    }
    const intent = createIntent(request, { kind: 'json', json: body.json });
    sendAnswer(reply, await this.recoverEndpoint.recover(intent, pathId('ep', id), body.json));
  }

  @Handles(routes.listRecoveries)
  async list(@Param('endpoint_id') id: string, @Req() request: FastifyRequest) {
    const { limit, cursor } = validate(routes.listRecoveries.query, request.query, 'query');
    const { accountId } = callerOf(request);
    const before = queryId('rec', 'cursor', cursor);
    const endpoint = found(await this.endpoints.find(accountId, pathId('ep', id)), id);
    const recoveries = await this.recoveries.list(accountId, endpoint.id, { before, limit: limit + 1 });
    return listView(recoveries, { limit, prefix: 'rec' }, recoveryView);
  }

  @Handles(routes.readRecovery)
  async read(
    @Param('endpoint_id') endpointId: string,
    @Param('recovery_id') id: string,
    @Req() request: FastifyRequest,
  ) {
    const { accountId } = callerOf(request);
    const recovery = await this.recoveries.find(accountId, pathId('ep', endpointId), pathId('rec', id));
    return recoveryView(found(recovery, id));
  }

  @Handles(routes.cancelRecovery)
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { endpoint_id: endpointId = '', recovery_id: recoveryId = '' } = request.params as Record<string, string>;
    const { identity, check } = noBody(request.body as RequestBody);
    const intent = createIntent(request, identity);
    const asked = { endpointId: pathId('ep', endpointId), recoveryId: pathId('rec', recoveryId), check };
    sendAnswer(reply, await this.recoverEndpoint.cancel(intent, asked));
  }
}
