import { type DynamicModule, Module } from '@nestjs/common';
import { ClaimJobs } from './run-job/claim-jobs.js';
import { SubmittedController } from './run-job/submitted.controller.js';
import type { WorkerParts } from './worker-parts.js';
import { Worker } from './worker.js';

/** The worker as a part of an application, which connects a transport for the jobs topic to it. */
@Module({})
export class WorkerModule {
  static register(parts: WorkerParts): DynamicModule {
    return WorkerModule.of(new Worker(parts));
  }

  static of(worker: Worker): DynamicModule {
    return {
      module: WorkerModule,
      controllers: [SubmittedController],
      providers: [
        { provide: Worker, useFactory: () => worker },
        { provide: ClaimJobs, useFactory: () => worker.claimJobs },
      ],
      exports: [Worker],
    };
  }
}
