import 'reflect-metadata';
import { runProcess, serve } from '#libs/process';
import { collectDefaultMetrics } from 'prom-client';
import { readDispatcherConfig } from './config.js';
import { DispatcherProcessModule } from './dispatcher-process.module.js';
import { openProcess } from './open-process.js';

const description = {
  name: 'dispatcher',
  usage: 'npm run start:dispatcher',
  about: 'Sends webhooks.',
};

await runProcess(description, process.env, async (log) => {
  const config = readDispatcherConfig(process.env);
  collectDefaultMetrics();
  const opened = openProcess(config, log);
  opened.start();
  const { HOST: host, PORT: port } = config;
  const app = await serve(DispatcherProcessModule.register(opened), { host, port, strategy: opened.strategy, log });
  log.info('process.ready');
  return {
    graceMs: config.SHUTDOWN_GRACE,
    stop: async () => {
      await app.close();
      await opened.close();
    },
  };
});
