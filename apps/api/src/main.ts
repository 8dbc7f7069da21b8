import 'reflect-metadata';
import { runProcess } from '#libs/process';
import { ApiModule } from './api.module.js';
import { readApiConfig } from './config.js';
import { closeApi, createApi } from './create-api.js';
import { openApiParts } from './open-api-parts.js';

await runProcess('api', process.env, async (log) => {
  const config = readApiConfig(process.env);
  const opened = await openApiParts(config, log);
  const app = await createApi(ApiModule.register(opened.parts), opened.parts);
  opened.start((error) => {
    log.fatal({ err: error }, 'process.cannot-work');
    process.exit(1);
  });
  await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ url: await app.getUrl() }, 'api.listening');
  return {
    graceMs: config.SHUTDOWN_GRACE,
    stop: async () => {
      await closeApi(app);
      await opened.close();
    },
  };
});
