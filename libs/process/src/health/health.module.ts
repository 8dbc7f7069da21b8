import { type DynamicModule, Module } from '@nestjs/common';
import type { HealthSource } from './health-report.js';
import { HealthController, healthSource } from './health.controller.js';

/** The routes /healthz, /readyz and /metrics of a process. */
@Module({})
export class HealthModule {
  static register(source: HealthSource): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [{ provide: healthSource, useValue: source }],
    };
  }
}
