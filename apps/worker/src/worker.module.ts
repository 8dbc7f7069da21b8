import { type DynamicModule, Module } from '@nestjs/common';
import { ClaimJobs } from './run-job/claim-jobs.js';
import { SubmittedController } from './run-job/submitted.controller.js';
import type { WorkerParts } from './worker-parts.js';
import { Worker } from './worker.js';

/** The worker as a part of an application, which connects a transport for the jobs topic to it. */
@Module({})
export class WorkerModule {
  static register(parts: WorkerParts): DynamicModule {
    return {
      module: WorkerModule,
      controllers: [SubmittedController],
      providers: [
        { provide: Worker, useFactory: () => new Worker(parts) },
        { provide: ClaimJobs, useFactory: (worker: Worker) => worker.claimJobs, inject: [Worker] },
      ],
      exports: [Worker],
    };
  }
}
