import { RequestRefused, routes } from '#libs/contract';
import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerWhenEnded } from '../answer-when-ended/answer-when-ended.js';
import { Handles } from '../http/handles.js';
import { noBody } from '../http/no-body.js';
import { pathId } from '../http/path-id.js';
import type { RequestBody } from '../http/read-bodies.js';
import { type DecidedAnswer, sendAnswer } from '../http/send-answer.js';
import { type CreateIntent, createIntent } from '../idempotency/create-intent.js';
import { PingEndpoint } from './ping-endpoint.js';
import { RotateSecret } from './rotate-secret.js';
import { type EndpointAction, SwitchEndpoint } from './switch-endpoint.js';

/** What can be done to a webhook endpoint besides changing what is said of it. */
@Controller()
export class ActOnEndpointController {
  constructor(
    private readonly rotateSecret: RotateSecret,
    private readonly switchEndpoint: SwitchEndpoint,
    private readonly pingEndpoint: PingEndpoint,
    private readonly whenEnded: AnswerWhenEnded,
  ) {}

  @Handles(routes.rotateEndpointSecret)
  async rotate(@Param('endpoint_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const body = request.body as RequestBody;
    if (body?.kind === 'multipart') throw new RequestRefused('unsupported_media_type', 'send application/json');
    const intent = createIntent(request, noBody(body).identity);
    sendAnswer(reply, await this.rotateSecret.rotate(intent, pathId('ep', id), body?.json ?? {}));
  }

  @Handles(routes.enableEndpoint)
  async enable(@Param('endpoint_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const act = (intent: CreateIntent, action: EndpointAction) => this.switchEndpoint.enable(intent, action);
    sendAnswer(reply, await decided(id, request, act));
  }

  @Handles(routes.disableEndpoint)
  async disable(@Param('endpoint_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const act = (intent: CreateIntent, action: EndpointAction) => this.switchEndpoint.disable(intent, action);
    sendAnswer(reply, await decided(id, request, act));
  }

  @Handles(routes.pingEndpoint)
  async ping(@Param('endpoint_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    const act = (intent: CreateIntent, action: EndpointAction) => this.pingEndpoint.ping(intent, action);
    await this.whenEnded.send({ request, reply, decided: await decided(id, request, act) });
  }
}

type Act = (intent: CreateIntent, action: EndpointAction) => Promise<DecidedAnswer>;

async function decided(id: string, request: FastifyRequest, act: Act): Promise<DecidedAnswer> {
  const { identity, check } = noBody(request.body as RequestBody);
  return act(createIntent(request, identity), { endpointId: pathId('ep', id), check });
}
