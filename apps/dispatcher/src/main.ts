import 'reflect-metadata';
import { runProcess, serve } from '#libs/process';
import { collectDefaultMetrics } from 'prom-client';
import { readDispatcherConfig } from './config.js';
import { DispatcherProcessModule } from './dispatcher-process.module.js';
import { openProcess } from './open-process.js';

await runProcess('dispatcher', process.env, async (log) => {
  const config = readDispatcherConfig(process.env);
  collectDefaultMetrics();
  const opened = openProcess(config, log);
  opened.start();
  const { strategy } = opened;
  const app = await serve(DispatcherProcessModule.register(opened), { host: config.HOST, port: config.PORT, strategy });
  log.info({ url: await app.getUrl() }, 'process.ready');
  return {
    graceMs: config.SHUTDOWN_GRACE,
    stop: async () => {
      await app.close();
      await opened.close();
    },
  };
});
