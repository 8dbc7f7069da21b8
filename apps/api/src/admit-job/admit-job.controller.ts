import { refusedAt, routes } from '#libs/contract';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerWhenEnded } from '../answer-when-ended/answer-when-ended.js';
import { Handles } from '../http/handles.js';
import type { RequestBody } from '../http/read-bodies.js';
import { createIntent } from '../idempotency/create-intent.js';
import { ReceiveParts } from '../receive-upload/receive-parts.js';
import { AdmitJob } from './admit-job.js';
import { jsonSubmission, type JobSubmission, multipartSubmission } from './job-submission.js';

/** Submits jobs, as JSON or as multipart; with `Prefer: wait` the answer may be the ended job or its document. */
@Controller()
export class AdmitJobController {
  constructor(
    private readonly parts: ReceiveParts,
    private readonly admitJob: AdmitJob,
    private readonly whenEnded: AnswerWhenEnded,
  ) {}

  @Handles(routes.createJob)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const submission = await this.submissionOf(request);
    const decided = await this.admitJob.admit(createIntent(request, submission.identity), submission);
    await this.whenEnded.send({ request, reply, decided });
  }

  private async submissionOf(request: FastifyRequest): Promise<JobSubmission> {
    const body = request.body as RequestBody;
    if (body === undefined)
      throw refusedAt('invalid_request', '', 'there is none; send application/json or multipart/form-data');
    return body.kind === 'json' ? jsonSubmission(body.json) : multipartSubmission(await this.parts.receive(request));
  }
}
