import 'reflect-metadata';
import { SettingsError } from '#libs/contract';
import { runProcess, type RunningProcess } from '#libs/process';
import { collectDefaultMetrics } from 'prom-client';
import type { Logger } from 'pino';
import { closeApi, createApi } from '../../api/src/create-api.js';
import { quietly, readStandaloneConfig } from './config.js';
import { AlreadyRunning, openDataDirectory } from './data-directory/open-data-directory.js';
import { openStandalone, publicUrl } from './open-standalone.js';
import { StandaloneModule } from './standalone.module.js';
import { welcome } from './welcome/welcome.js';
import { writeSamples } from './welcome/write-samples.js';

await runProcess('standalone', { ...quietly, ...process.env }, (log) => start(log).catch(explain));

async function start(log: Logger): Promise<RunningProcess> {
  const { DATA_DIR } = readStandaloneConfig(process.env);
  const data = await openDataDirectory(DATA_DIR);
  const opened = await openStandalone(data, process.env, log);
  const { config } = opened.parts.api;
  collectDefaultMetrics();
  const app = await createApi(StandaloneModule.register(opened.parts), opened.parts.api);
  const stop = async (): Promise<void> => {
    await closeApi(app);
    await opened.close();
    await data.release();
  };
  try {
    app.connectMicroservice({ strategy: opened.messaging.transport('pdfonce.standalone') });
    await app.startAllMicroservices();
    await app.listen({ host: config.HOST, port: config.PORT });
  } catch (error) {
    await stop();
    throw error;
  }
  console.log(
    welcome({
      url: publicUrl(config),
      apiKey: opened.apiKey,
      directory: data.path,
      samples: await writeSamples(data.path),
    }),
  );
  return { graceMs: config.SHUTDOWN_GRACE, stop };
}

/** A start that the operator can mend is told in plain words. */
function explain(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  const isPlain = error instanceof AlreadyRunning || error instanceof SettingsError || code === 'EADDRINUSE';
  if (!isPlain) throw error;
  console.error(code === 'EADDRINUSE' ? `${message}; choose another PORT` : message);
  process.exit(1);
}
