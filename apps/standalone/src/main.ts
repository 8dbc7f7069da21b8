import 'reflect-metadata';
import { SettingsError } from '#libs/contract';
import { type Fail, graceOf, publicUrl, runProcess, type RunningProcess } from '#libs/process';
import { collectDefaultMetrics } from 'prom-client';
import type { Logger } from 'pino';
import { closeApi, createApi } from '../../api/src/create-api.js';
import { Dispatcher } from '../../dispatcher/src/deliver-webhook/dispatcher.js';
import { Worker } from '../../worker/src/worker.js';
import { ignoredSettings, quietly, readStartSettings } from './config.js';
import {
  AlreadyRunning,
  ForeignDirectory,
  openDataDirectory,
  UnusableDirectory,
} from './data-directory/open-data-directory.js';
import { openStandalone } from './open-standalone.js';
import { probePort } from './probe-port.js';
import { StandaloneModule } from './standalone.module.js';
import { welcome } from './welcome/welcome.js';
import { writeSamples } from './welcome/write-samples.js';

const description = {
  name: 'standalone',
  usage: 'npm start',
  about:
    'Runs API, worker and dispatcher in one process, with a Postgres of its own. DATA_DIR, HOST and PORT say where.',
};

/** The setting that is to be changed when the system will not listen there. */
const refusedBy: Readonly<Record<string, string>> = {
  'listen EADDRINUSE': 'PORT',
  'listen EACCES': 'PORT',
  'listen EADDRNOTAVAIL': 'HOST',
  'getaddrinfo ENOTFOUND': 'HOST',
  'getaddrinfo EAI_AGAIN': 'HOST',
};

await runProcess(description, { ...quietly, ...process.env }, (log, fail) => start(log, fail).catch(explain));

async function start(log: Logger, fail: Fail): Promise<RunningProcess> {
  const { DATA_DIR, HOST, PORT } = readStartSettings(process.env);
  const data = await openDataDirectory(DATA_DIR);
  const ignored = ignoredSettings(process.env, data.path);
  if (ignored !== null) console.error(ignored);
  const port = await probePort(HOST, PORT);
  const opened = await openStandalone(data, { env: process.env, port, log, fail });
  const { config } = opened.parts.api;
  collectDefaultMetrics();
  const app = await createApi(StandaloneModule.register(opened.parts), opened.parts.api);
  const stop = async (): Promise<void> => {
    // At once, each within its own grace: one after the other they would outlast it.
    await Promise.all([
      app.get(Worker, { strict: false }).stop(),
      app.get(Dispatcher, { strict: false }).stop(),
      closeApi(app, graceOf(config.SHUTDOWN_GRACE).drainMs),
    ]);
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
  const onDrain = (): void => console.log('Finishing what runs; Ctrl-C again stops at once.');
  return { graceMs: config.SHUTDOWN_GRACE, stop, onDrain };
}

/** A start that the operator can mend is told in plain words. */
function explain(error: unknown): never {
  const plain = [AlreadyRunning, ForeignDirectory, UnusableDirectory, SettingsError].some(
    (known) => error instanceof known,
  );
  const { code = '', syscall = '', message } = error as NodeJS.ErrnoException;
  const setting = refusedBy[`${syscall} ${code}`];
  if (setting !== undefined) console.error(`${message}; choose another ${setting}`);
  else if (plain) console.error(message);
  else throw error;
  process.exit(1);
}
