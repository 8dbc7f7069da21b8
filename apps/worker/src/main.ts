import 'reflect-metadata';
import { runProcess, serve } from '#libs/process';
import { collectDefaultMetrics } from 'prom-client';
import { readWorkerConfig } from './config.js';
import { openProcess } from './open-process.js';
import { WorkerProcessModule } from './worker-process.module.js';

const description = {
  name: 'worker',
  usage: 'npm run start:worker',
  about: 'Does jobs, and removes what is past its time.',
};

await runProcess(description, process.env, async (log, fail) => {
  const config = readWorkerConfig(process.env);
  collectDefaultMetrics();
  const opened = await openProcess(config, log, fail);
  opened.start();
  const { HOST: host, PORT: port } = config;
  const app = await serve(WorkerProcessModule.register(opened), { host, port, strategy: opened.strategy, log });
  return {
    graceMs: config.SHUTDOWN_GRACE,
    stop: async () => {
      await app.close();
      await opened.close();
    },
  };
});
