import { Database } from '#libs/persistence';
import { Controller, Get, HttpCode, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { register } from 'prom-client';

/** Injection token: whether Kafka is connected, or `null` without Kafka. */
export const kafkaConnected = Symbol('kafkaConnected');

/** About the process: alive, ready to accept, and its metrics. Kafka is reported and does not gate: jobs are accepted without it. */
@Controller()
export class HealthController {
  constructor(
    private readonly database: Database,
    @Inject(kafkaConnected) private readonly isKafkaConnected: (() => boolean) | null,
  ) {}

  @Get('/healthz')
  @HttpCode(200)
  alive() {
    return { status: 'alive' };
  }

  @Get('/readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const isReady = await this.database.isReachable();
    const kafka = this.isKafkaConnected === null ? 'off' : this.isKafkaConnected() ? 'connected' : 'unreachable';
    void reply
      .status(isReady ? 200 : 503)
      .header('content-type', 'application/json; charset=utf-8')
      .send(
        JSON.stringify({
          status: isReady ? 'ready' : 'not_ready',
          postgres: isReady ? 'reachable' : 'unreachable',
          kafka,
          missing: ['url_inputs'],
        }),
      );
  }

  @Get('/metrics')
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const text = await register.metrics();
    void reply.header('content-type', register.contentType).send(text);
  }
}
