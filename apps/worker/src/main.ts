import 'reflect-metadata';
import { runProcess } from '#libs/process';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { collectDefaultMetrics } from 'prom-client';
import { readWorkerConfig } from './config.js';
import { openProcess } from './open-process.js';
import { WorkerProcessModule } from './worker-process.module.js';

await runProcess('worker', process.env, async (log) => {
  const config = readWorkerConfig(process.env);
  collectDefaultMetrics();
  const opened = await openProcess(config, log, (error) => {
    log.fatal({ err: error }, 'worker.cannot-go-on');
    process.exit(1);
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    WorkerProcessModule.register(opened),
    new FastifyAdapter(),
    { logger: false, abortOnError: false },
  );
  app.connectMicroservice({ strategy: opened.strategy });
  opened.start();
  await app.startAllMicroservices();
  await app.listen(config.PORT, config.HOST);
  log.info({ url: await app.getUrl() }, 'worker.started');
  return {
    graceMs: config.SHUTDOWN_GRACE,
    stop: async () => {
      await app.close();
      await opened.close();
    },
  };
});
