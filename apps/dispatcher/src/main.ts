import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { collectDefaultMetrics } from 'prom-client';
import { runProcess } from '#libs/process';
import { readDispatcherConfig } from './config.js';
import { DispatcherProcessModule } from './dispatcher-process.module.js';
import { openProcess } from './open-process.js';

await runProcess('dispatcher', process.env, async (log) => {
  const config = readDispatcherConfig(process.env);
  collectDefaultMetrics();
  const opened = openProcess(config, log);
  const app = await NestFactory.create<NestFastifyApplication>(
    DispatcherProcessModule.register(opened),
    new FastifyAdapter(),
    { logger: false, abortOnError: false },
  );
  app.connectMicroservice({ strategy: opened.strategy });
  opened.start();
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  log.info({ url: await app.getUrl() }, 'dispatcher.started');
  return {
    graceMs: config.SHUTDOWN_GRACE,
    stop: async () => {
      await app.close();
      await opened.close();
    },
  };
});
