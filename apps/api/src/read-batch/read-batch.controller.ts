import { routes, validate } from '#libs/contract';
import { batchView, jobView, OutputLinks } from '#libs/domain';
import { BatchReader, JobReader } from '#libs/persistence';
import { Controller, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { found } from '../http/found.js';
import { Handles } from '../http/handles.js';
import { listView } from '../http/list-view.js';
import { pathId } from '../http/path-id.js';
import { queryId } from '../http/query-id.js';
import { callerOf } from '../http/request-context.js';

/** Reads batches and their jobs. */
@Controller()
export class ReadBatchController {
  constructor(
    private readonly batches: BatchReader,
    private readonly jobs: JobReader,
    private readonly links: OutputLinks,
  ) {}

  @Handles(routes.readBatch)
  async read(@Param('batch_id') id: string, @Req() request: FastifyRequest) {
    return batchView(found(await this.batches.find(callerOf(request).accountId, pathId('batch', id)), id));
  }

  @Handles(routes.listBatchJobs)
  async list(@Param('batch_id') id: string, @Req() request: FastifyRequest) {
    const { accountId } = callerOf(request);
    const batchId = pathId('batch', id);
    const query = validate(routes.listBatchJobs.query, request.query, 'query');
    const after = queryId('job', 'cursor', query.cursor);
    const jobs = await this.jobs.listOfBatch(accountId, batchId, { state: query.state, after, limit: query.limit + 1 });
    if (jobs.length === 0) found(await this.batches.find(accountId, batchId), id);
    return listView(jobs, { limit: query.limit, prefix: 'job' }, (job) => jobView(job, this.links));
  }
}
