import { type DynamicModule, Module } from '@nestjs/common';
import { DispatcherModule } from './dispatcher.module.js';
import { HealthController } from './health/health.controller.js';
import { ProcessHealth } from './health/process-health.js';
import type { DispatcherProcess } from './open-process.js';

/** The dispatcher as a process of its own, with its health and metrics. */
@Module({})
export class DispatcherProcessModule {
  static register({ config, parts, isKafkaConnected }: DispatcherProcess): DynamicModule {
    const useFactory = () => new ProcessHealth(parts.database, isKafkaConnected);
    return {
      module: DispatcherProcessModule,
      imports: [DispatcherModule.register(config, parts)],
      controllers: [HealthController],
      providers: [{ provide: ProcessHealth, useFactory }],
    };
  }
}
