import { routes } from '#libs/contract';
import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Handles } from '../http/handles.js';
import { noBody } from '../http/no-body.js';
import { pathId } from '../http/path-id.js';
import type { RequestBody } from '../http/read-bodies.js';
import { sendAnswer } from '../http/send-answer.js';
import { createIntent } from '../idempotency/create-intent.js';
import { Redeliver } from './redeliver.js';

/** Redeliveries. */
@Controller()
export class RedeliverController {
  constructor(private readonly redeliveries: Redeliver) {}

  @Handles(routes.redeliver)
  async redeliver(
    @Param('delivery_id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { identity, check } = noBody(request.body as RequestBody);
    const intent = createIntent(request, identity);
    sendAnswer(reply, await this.redeliveries.redeliver(intent, { deliveryId: pathId('dlv', id), check }));
  }
}
