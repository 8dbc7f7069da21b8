import { databaseState } from '#libs/persistence';
import { HealthModule } from '#libs/process';
import { type DynamicModule, Module } from '@nestjs/common';
import type { WorkerProcess } from './open-process.js';
import { WorkerModule } from './worker.module.js';
import { Worker } from './worker.js';

/** The worker as a process of its own, with its health and metrics. */
@Module({})
export class WorkerProcessModule {
  static register({ parts, isKafkaConnected }: WorkerProcess): DynamicModule {
    const worker = new Worker(parts);
    return {
      module: WorkerProcessModule,
      imports: [
        WorkerModule.of(worker),
        HealthModule.register({
          databaseState: () => databaseState(parts.database),
          isKafkaConnected,
          isReady: () => worker.isReady,
          missing: () => worker.missing,
        }),
      ],
    };
  }
}
