import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController } from './health/health.controller.js';
import { ProcessHealth } from './health/process-health.js';
import type { WorkerProcess } from './open-process.js';
import { WorkerModule } from './worker.module.js';
import { Worker } from './worker.js';

/** The worker as a process of its own, with its health and metrics. */
@Module({})
export class WorkerProcessModule {
  static register({ parts, isKafkaConnected }: WorkerProcess): DynamicModule {
    const useFactory = (worker: Worker) => new ProcessHealth(worker, parts.database, isKafkaConnected);
    return {
      module: WorkerProcessModule,
      imports: [WorkerModule.register(parts)],
      controllers: [HealthController],
      providers: [{ provide: ProcessHealth, useFactory, inject: [Worker] }],
    };
  }
}
