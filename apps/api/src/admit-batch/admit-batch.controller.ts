import { refusedAt, RequestRefused, routes } from '#libs/contract';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerWhenEnded } from '../answer-when-ended/answer-when-ended.js';
import { Handles } from '../http/handles.js';
import type { RequestBody } from '../http/read-bodies.js';
import { createIntent } from '../idempotency/create-intent.js';
import { AdmitBatch } from './admit-batch.js';

/** Submits batches; with `Prefer: wait` the answer may be the ended batch. */
@Controller()
export class AdmitBatchController {
  constructor(
    private readonly admitBatch: AdmitBatch,
    private readonly whenEnded: AnswerWhenEnded,
  ) {}

  @Handles(routes.createBatch)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const json = jsonOf(request.body as RequestBody);
    const decided = await this.admitBatch.admit(createIntent(request, { kind: 'json', json }), json);
    await this.whenEnded.send({ request, reply, decided });
  }
}

function jsonOf(body: RequestBody): unknown {
  if (body === undefined) throw refusedAt('invalid_request', '', 'there is none; send application/json');
  if (body.kind === 'json') return body.json;
  throw new RequestRefused(
    'unsupported_media_type',
    'a batch is application/json: upload its documents to /v1/files first, and name them by file_id',
  );
}
