import { databaseState } from '#libs/persistence';
import { HealthModule } from '#libs/process';
import { type DynamicModule, Module } from '@nestjs/common';
import { ApiModule } from './api.module.js';
import type { ApiParts } from './api-parts.js';

/** The API as a process of its own, with its health and metrics. */
@Module({})
export class ApiProcessModule {
  static register(parts: ApiParts): DynamicModule {
    const { database, isKafkaConnected } = parts;
    return {
      module: ApiProcessModule,
      imports: [
        ApiModule.register(parts),
        HealthModule.register({ databaseState: () => databaseState(database), isKafkaConnected }),
      ],
    };
  }
}
