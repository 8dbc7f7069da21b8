import { Controller, Get, Header, HttpCode, Inject, ServiceUnavailableException } from '@nestjs/common';
import { register } from 'prom-client';
import { ProcessHealth } from './process-health.js';

/** What is asked of a worker that runs as a process of its own. */
@Controller()
export class HealthController {
  constructor(@Inject(ProcessHealth) private readonly health: ProcessHealth) {}

  @Get('healthz')
  @HttpCode(200)
  alive() {
    return { status: 'ok' };
  }

  /** Kafka is told and does not gate. */
  @Get('readyz')
  async ready() {
    const report = await this.health.report();
    if (report.status === 'unavailable') throw new ServiceUnavailableException(report);
    return report;
  }

  @Get('metrics')
  @Header('Content-Type', register.contentType)
  async metrics(): Promise<string> {
    return register.metrics();
  }
}
