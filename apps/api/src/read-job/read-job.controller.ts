import { routes, validate } from '#libs/contract';
import { jobView, OutputLinks } from '#libs/domain';
import { JobReader } from '#libs/persistence';
import { Controller, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Handles } from '../http/handles.js';
import { found, listView, pathId, queryId } from '../http/page.js';
import { callerOf } from '../http/request-context.js';

/** Reads jobs. */
@Controller()
export class ReadJobController {
  constructor(
    private readonly jobs: JobReader,
    private readonly links: OutputLinks,
  ) {}

  @Handles(routes.readJob)
  async read(@Param('job_id') id: string, @Req() request: FastifyRequest) {
    return jobView(found(await this.jobs.find(callerOf(request).accountId, pathId('job', id)), id), this.links);
  }

  @Handles(routes.listJobs)
  async list(@Req() request: FastifyRequest) {
    const query = validate(routes.listJobs.query, request.query, 'query');
    const jobs = await this.jobs.list(callerOf(request).accountId, {
      state: query.state,
      operation: query.operation,
      idempotencyKey: query.idempotency_key,
      createdFrom: dateOf(query.created_from),
      createdTo: dateOf(query.created_to),
      before: queryId('job', 'cursor', query.cursor),
      limit: query.limit + 1,
    });
    return listView(jobs, { limit: query.limit, prefix: 'job' }, (job) => jobView(job, this.links));
  }
}

function dateOf(instant: string | undefined): Date | undefined {
  return instant === undefined ? undefined : new Date(instant);
}
