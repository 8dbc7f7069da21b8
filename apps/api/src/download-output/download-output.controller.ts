import { RequestRefused, routes, validate } from '#libs/contract';
import { isTerminal, OutputLinks, typeId } from '#libs/domain';
import { JobReader, type OutputFound } from '#libs/persistence';
import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Handles } from '../http/handles.js';
import { notFound } from '../http/not-found.js';
import { pathId } from '../http/path-id.js';
import { SendOutput } from './send-output.js';

/** Downloads, with an API key or by a signed link. */
@Controller()
export class DownloadOutputController {
  constructor(
    private readonly jobs: JobReader,
    private readonly links: OutputLinks,
    private readonly sendOutput: SendOutput,
  ) {}

  @Handles(routes.downloadOutput)
  async download(
    @Param('job_id') id: string,
    @Param('index') index: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const jobId = pathId('job', id);
    const output = await this.find(jobId, index);
    if (output === null) throw await this.withoutOutput(request, jobId, index);
    this.authorize(request, output, jobId, Number(index));
    await this.sendOutput.send(request, reply, output);
  }

  private async find(jobId: string, index: string): Promise<OutputFound | null> {
    return /^\d{1,6}$/.test(index) ? this.jobs.findOutput(jobId, Number(index)) : null;
  }

  /** A job that has not ended is told of to its owner only. */
  private async withoutOutput({ caller }: FastifyRequest, jobId: string, index: string): Promise<RequestRefused> {
    const id = typeId('job', jobId);
    const job = caller === null ? null : await this.jobs.find(caller.accountId, jobId);
    if (job === null || isTerminal(job.state)) return notFound(`output ${index} of ${id}`);
    return new RequestRefused(
      'not_found',
      `the job ${id} is still ${job.state}: its outputs are there once it has ended`,
      {
        retryAfterSeconds: 1,
      },
    );
  }

  private authorize(request: FastifyRequest, output: OutputFound, jobId: string, index: number): void {
    if (request.caller !== null) {
      if (request.caller.accountId !== output.accountId) throw notFound(`output ${index} of ${typeId('job', jobId)}`);
      return;
    }
    const { expires, key, signature } = validate(routes.downloadOutput.query, request.query, 'query');
    const claim = { keyId: key ?? '', expires: Number(expires), signature: signature ?? '' };
    if (!this.links.verifies(jobId, index, claim))
      throw new RequestRefused(
        'unauthenticated',
        'the signature of this link is not valid: it was changed, or its key is gone; read the job for a new link',
      );
    if (claim.expires * 1_000 <= Date.now())
      throw new RequestRefused('output_expired', 'this link has expired with its output');
  }
}
