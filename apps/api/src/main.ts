import 'reflect-metadata';
import { graceOf, runProcess } from '#libs/process';
import { collectDefaultMetrics } from 'prom-client';
import { ApiProcessModule } from './api-process.module.js';
import { readApiConfig } from './config.js';
import { closeApi, createApi } from './create-api.js';
import { openProcess } from './open-process.js';

const description = {
  name: 'api',
  usage: 'npm run start:api',
  about: 'Answers requests: takes jobs in, shows and hands out what became of them.',
};

await runProcess(description, process.env, async (log, fail) => {
  const config = readApiConfig(process.env);
  collectDefaultMetrics();
  const opened = await openProcess(config, log, fail);
  opened.start();
  const app = await createApi(ApiProcessModule.register(opened.parts), opened.parts);
  await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ url: await app.getUrl() }, 'process.ready');
  return {
    graceMs: config.SHUTDOWN_GRACE,
    stop: async () => {
      await closeApi(app, graceOf(config.SHUTDOWN_GRACE).drainMs);
      await opened.close();
    },
  };
});
