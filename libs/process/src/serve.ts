import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

/** Where a process listens for its health, and what it consumes. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly strategy: CustomTransportStrategy;
  readonly log: Logger;
}

/** Starts a process that consumes messages and answers nothing but questions about itself. */
export async function serve(
  root: DynamicModule,
  { host, port, strategy, log }: ServeOptions,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(root, new FastifyAdapter(), {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  app.connectMicroservice({ strategy });
  await app.startAllMicroservices();
  await app.listen(port, host);
  log.info({ url: await app.getUrl() }, 'process.listening');
  return app;
}
