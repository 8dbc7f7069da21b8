import { databaseState } from '#libs/persistence';
import { HealthModule } from '#libs/process';
import { type DynamicModule, Module } from '@nestjs/common';
import type { ApiParts } from '../../api/src/api-parts.js';
import { ApiModule } from '../../api/src/api.module.js';
import { DispatcherModule, type DispatcherParts } from '../../dispatcher/src/dispatcher.module.js';
import type { WorkerParts } from '../../worker/src/worker-parts.js';
import { WorkerModule } from '../../worker/src/worker.module.js';
import { Worker } from '../../worker/src/worker.js';

/** What the three apps in one process are made of. */
export interface StandaloneParts {
  readonly api: ApiParts;
  readonly worker: WorkerParts;
  readonly dispatcher: DispatcherParts;
}

/** API, worker and dispatcher in one process. */
@Module({})
export class StandaloneModule {
  static register({ api, worker, dispatcher }: StandaloneParts): DynamicModule {
    const theWorker = new Worker(worker);
    return {
      module: StandaloneModule,
      imports: [
        ApiModule.register(api),
        WorkerModule.of(theWorker),
        DispatcherModule.register(dispatcher),
        HealthModule.register({
          databaseState: () => databaseState(api.database),
          isKafkaConnected: null,
          isReady: () => theWorker.isReady,
          missing: () => theWorker.missing,
        }),
      ],
    };
  }
}
