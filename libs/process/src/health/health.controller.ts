import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { register } from 'prom-client';
import { healthReport, type HealthSource } from './health-report.js';

/** Injection token of the {@link HealthSource}. */
export const healthSource = Symbol('healthSource');

/** About the process: alive, ready, and its metrics (Prometheus text format). */
@Controller()
export class HealthController {
  constructor(@Inject(healthSource) private readonly source: HealthSource) {}

  @Get('/healthz')
  alive() {
    return { status: 'alive' };
  }

  @Get('/readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const report = await healthReport(this.source);
    void reply.status(report.status === 'ready' ? 200 : 503);
    return report;
  }

  @Get('/metrics')
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', register.contentType);
    return register.metrics();
  }
}
