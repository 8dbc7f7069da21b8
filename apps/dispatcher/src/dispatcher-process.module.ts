import { databaseState } from '#libs/persistence';
import { HealthModule } from '#libs/process';
import { type DynamicModule, Module } from '@nestjs/common';
import { DispatcherModule } from './dispatcher.module.js';
import type { DispatcherProcess } from './open-process.js';

/** The dispatcher as a process of its own, with its health and metrics. */
@Module({})
export class DispatcherProcessModule {
  static register({ parts, isKafkaConnected }: DispatcherProcess): DynamicModule {
    return {
      module: DispatcherProcessModule,
      imports: [
        DispatcherModule.register(parts),
        HealthModule.register({ databaseState: () => databaseState(parts.database), isKafkaConnected }),
      ],
    };
  }
}
