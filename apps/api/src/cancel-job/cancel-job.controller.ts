import { routes } from '#libs/contract';
import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Handles } from '../http/handles.js';
import { noBody } from '../http/no-body.js';
import { pathId } from '../http/path-id.js';
import type { RequestBody } from '../http/read-bodies.js';
import { sendAnswer } from '../http/send-answer.js';
import { createIntent } from '../idempotency/create-intent.js';
import { CancelJob } from './cancel-job.js';

/** Cancels jobs and batches. */
@Controller()
export class CancelJobController {
  constructor(private readonly cancelJob: CancelJob) {}

  @Handles(routes.cancelJob)
  async job(@Param('job_id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { identity, check } = noBody(request.body as RequestBody);
    const intent = createIntent(request, identity);
    sendAnswer(reply, await this.cancelJob.cancelJob(intent, { id: pathId('job', id), check }));
  }

  @Handles(routes.cancelBatch)
  async batch(
    @Param('batch_id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { identity, check } = noBody(request.body as RequestBody);
    const intent = createIntent(request, identity);
    sendAnswer(reply, await this.cancelJob.cancelBatch(intent, { id: pathId('batch', id), check }));
  }
}
