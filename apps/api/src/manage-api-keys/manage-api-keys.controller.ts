import { RequestRefused, routes, validate } from '#libs/contract';
import { ApiKeyStore } from '#libs/persistence';
import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { Handles } from '../http/handles.js';
import { listView } from '../http/list-view.js';
import { pathId } from '../http/path-id.js';
import { queryId } from '../http/query-id.js';
import type { RequestBody } from '../http/read-bodies.js';
import { callerOf } from '../http/request-context.js';
import { sendAnswer } from '../http/send-answer.js';
import { createIntent } from '../idempotency/create-intent.js';
import { apiKeyView } from './api-key-view.js';
import { IssueApiKey } from './issue-api-key.js';

/** The API keys of an account. */
@Controller()
export class ManageApiKeysController {
  constructor(
    private readonly issueApiKey: IssueApiKey,
    private readonly apiKeys: ApiKeyStore,
  ) {}

  @Handles(routes.createApiKey)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = request.body as RequestBody;
    if (body?.kind !== 'json') throw new RequestRefused('unsupported_media_type', 'send application/json');
    const intent = createIntent(request, { kind: 'json', json: body.json });
    sendAnswer(reply, await this.issueApiKey.issue(intent, body.json));
  }

  @Handles(routes.listApiKeys)
  async list(@Req() request: FastifyRequest) {
    const { limit, cursor } = validate(routes.listApiKeys.query, request.query, 'query');
    const before = queryId('key', 'cursor', cursor);
    const keys = await this.apiKeys.page(callerOf(request).accountId, { before, limit: limit + 1 });
    return listView(keys, { limit, prefix: 'key' }, (key) => apiKeyView(key));
  }

  @Handles(routes.revokeApiKey)
  async revoke(@Param('key_id') id: string, @Req() request: FastifyRequest): Promise<void> {
    found(await this.apiKeys.revoke(pathId('key', id), callerOf(request).accountId), id);
  }
}
