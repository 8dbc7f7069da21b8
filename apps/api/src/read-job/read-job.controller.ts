import { refusedAt, routes, validate } from '#libs/contract';
import { jobView, OutputLinks, readIdempotencyKey } from '#libs/domain';
import { operationNames } from '#libs/pdf';
import { JobReader } from '#libs/persistence';
import { Controller, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { Handles } from '../http/handles.js';
import { listView } from '../http/list-view.js';
import { pathId } from '../http/path-id.js';
import { queryId } from '../http/query-id.js';
import { callerOf } from '../http/request-context.js';
import { historyView } from './history-view.js';

/** Reads jobs and what happened to them. */
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

  @Handles(routes.readJobHistory)
  async history(@Param('job_id') id: string, @Req() request: FastifyRequest) {
    const jobId = pathId('job', id);
    return historyView(jobId, found(await this.jobs.history(callerOf(request).accountId, jobId), id));
  }

  @Handles(routes.listJobs)
  async list(@Req() request: FastifyRequest) {
    const query = validate(routes.listJobs.query, request.query, 'query');
    const jobs = await this.jobs.list(callerOf(request).accountId, {
      state: query.state,
      operation: operationOf(query.operation),
      idempotencyKey: keyOf(query.idempotency_key),
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

/** As the header has it. @throws RequestRefused `invalid_request`, when no request can have had it */
function keyOf(text: string | undefined): string | undefined {
  const reading = readIdempotencyKey(text === undefined ? [] : [text]);
  if (reading.kind === 'invalid') throw refusedAt('invalid_request', 'query:idempotency_key', reading.problem);
  return reading.kind === 'key' ? reading.key : undefined;
}

/** @throws RequestRefused `invalid_request`, naming the operations */
function operationOf(name: string | undefined): string | undefined {
  if (name === undefined || operationNames.some((known) => known === name)) return name;
  throw refusedAt('invalid_request', 'query:operation', `must be one of ${operationNames.join(', ')}`);
}
