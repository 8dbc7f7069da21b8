import { type DynamicModule, Module } from '@nestjs/common';
import type { ApiParts } from '../../api/src/api-parts.js';
import { ApiModule } from '../../api/src/api.module.js';
import type { DispatcherConfig } from '../../dispatcher/src/config.js';
import { DispatcherModule, type DispatcherParts } from '../../dispatcher/src/dispatcher.module.js';
import type { WorkerParts } from '../../worker/src/worker-parts.js';
import { WorkerModule } from '../../worker/src/worker.module.js';

/** What the three apps in one process are made of. */
export interface StandaloneParts {
  readonly api: ApiParts;
  readonly worker: WorkerParts;
  readonly dispatcher: DispatcherParts;
  readonly dispatcherConfig: DispatcherConfig;
}

/** API, worker and dispatcher in one process. */
@Module({})
export class StandaloneModule {
  static register({ api, worker, dispatcher, dispatcherConfig }: StandaloneParts): DynamicModule {
    return {
      module: StandaloneModule,
      imports: [
        ApiModule.register(api),
        WorkerModule.register(worker),
        DispatcherModule.register(dispatcherConfig, dispatcher),
      ],
    };
  }
}
