import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ApiClient } from '../support/api-client.js';
import { freePort } from '../support/free-port.js';
import { packageRoot } from '../support/package-root.js';
import { samplePdf } from '../support/pdf-samples.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import type { BareTemplate } from './bare-handler.js';
import type { LoadOptions, LoadResult } from './load-generator.js';
import { cpuMsOf } from './measure-idle.js';
import { MeasuredProcess } from './measured-process.js';
import { Sample } from './sample.js';

/** One pair: the API and the bare handler, one after the other on the same database. */
export interface AdmissionPair {
  readonly api: HandlerResult;
  readonly bare: HandlerResult;
}

/** How a handler bore its load. */
export interface HandlerResult extends LoadResult {
  /** Processor time of the handler's process for one request, in milliseconds: what else the machine does weighs little on it. */
  readonly cpuMs: number;
}

/** Admission through the API against a bare handler. */
export interface AdmissionComparison {
  readonly connections: number;
  readonly pairs: readonly AdmissionPair[];
  /** Median over the pairs of requests per second of the API, of those of the bare handler. */
  readonly ratio: number;
}

export interface AdmissionOptions {
  readonly directory: string;
  readonly pairs: number;
  readonly measuredMs: number;
  readonly say: (line: string) => void;
}

const run = promisify(execFile);
const connections = 32;
const warmUpMs = 2_000;
const poolSize = 10;

/** Measures pairs in alternating order, so that whatever else the machine does weighs on both. */
export async function compareAdmission(options: AdmissionOptions): Promise<AdmissionComparison> {
  const postgres = await startTestPostgres({ isOwn: true });
  const stage = await Stage.open(postgres, options.directory);
  try {
    const pairs: AdmissionPair[] = [];
    for (let pair = 0; pair < options.pairs; pair += 1) {
      const measured = await stage.measurePair(pair % 2 === 1, options.measuredMs);
      pairs.push(measured);
      options.say(
        `pair ${pair + 1}: API ${measured.api.perSecond.toFixed(0)}/s, bare ${measured.bare.perSecond.toFixed(0)}/s`,
      );
    }
    return {
      connections,
      pairs,
      ratio: new Sample(pairs.map(({ api, bare }) => api.perSecond / bare.perSecond)).median,
    };
  } finally {
    await stage.close();
    await postgres.stop();
  }
}

/** Both handlers on one database, and what to send them. */
class Stage {
  private constructor(
    private readonly postgres: TestPostgres,
    private readonly databaseUrl: string,
    private readonly handlers: { readonly api: MeasuredProcess; readonly bare: MeasuredProcess },
    private readonly load: Pick<LoadOptions, 'apiKey' | 'body'>,
    private readonly ports: { readonly api: number; readonly bare: number },
  ) {}

  static async open(postgres: TestPostgres, directory: string): Promise<Stage> {
    await mkdir(directory, { recursive: true });
    const databaseUrl = await postgres.createDatabase();
    const env = environment(databaseUrl, directory);
    await command('migrate', env);
    const apiKey = (await command('keys', env, ['create', '--account', 'bench'])).trim();
    const ports = { api: await freePort(), bare: await freePort() };
    const api = await startHandler('api', join(packageRoot, 'dist/apps/api/src/main.js'), directory, {
      env: { ...env, PORT: String(ports.api) },
      port: ports.api,
    });
    const { body, template } = await prepare(
      postgres,
      databaseUrl,
      new ApiClient(`http://127.0.0.1:${ports.api}`, apiKey),
    );
    const bareTemplate: BareTemplate = { ...template, databaseUrl, poolSize, port: ports.bare };
    const bare = await startHandler('bare', join(packageRoot, 'dist/test/bench/bare-handler.js'), directory, {
      args: [JSON.stringify(bareTemplate)],
      env: {},
      port: ports.bare,
    });
    return new Stage(postgres, databaseUrl, { api, bare }, { apiKey, body }, ports);
  }

  async measurePair(isBareFirst: boolean, measuredMs: number): Promise<AdmissionPair> {
    if (isBareFirst) {
      const bare = await this.measure('bare', measuredMs);
      return { bare, api: await this.measure('api', measuredMs) };
    }
    const api = await this.measure('api', measuredMs);
    return { api, bare: await this.measure('bare', measuredMs) };
  }

  async close(): Promise<void> {
    await Promise.all([this.handlers.api.stop(), this.handlers.bare.stop()]);
  }

  private async measure(handler: 'api' | 'bare', measuredMs: number): Promise<HandlerResult> {
    await this.postgres.query('checkpoint', [], this.databaseUrl);
    const options: LoadOptions = {
      ...this.load,
      port: this.ports[handler],
      path: '/v1/jobs',
      connections,
      warmUpMs,
      measuredMs,
    };
    const generator = join(packageRoot, 'dist/test/bench/load-generator.js');
    const pids = [this.handlers[handler].pid];
    const cpuMsBefore = await cpuMsOf(pids);
    const { stdout } = await run(process.execPath, [generator, JSON.stringify(options)]);
    const cpuMs = (await cpuMsOf(pids)) - cpuMsBefore;
    const result = JSON.parse(stdout) as LoadResult;
    if (result.refused > 0) throw new Error(`${handler} refused ${result.refused} requests`);
    return { ...result, cpuMs: cpuMs / result.requests };
  }
}

interface HandlerStart {
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
}

async function startHandler(
  name: string,
  entry: string,
  directory: string,
  start: HandlerStart,
): Promise<MeasuredProcess> {
  const { args = [], env, port } = start;
  const handler = await MeasuredProcess.start({ entry, args, env, logFile: join(directory, `${name}.log`) });
  await handler.ready(`http://127.0.0.1:${port}/healthz`);
  return handler;
}

/** A request, and what the API writes for it, so that the bare handler writes as much. */
async function prepare(
  postgres: TestPostgres,
  databaseUrl: string,
  api: ApiClient,
): Promise<{ readonly body: string; readonly template: Omit<BareTemplate, 'databaseUrl' | 'poolSize' | 'port'> }> {
  const upload = await api.uploadFile({ name: 'a.pdf', bytes: await samplePdf([100]) });
  const job = { operation: 'merge', inputs: [{ file_id: upload.json<{ id: string }>().id }] };
  const accepted = await api.submit(job, { key: 'bench-template' });
  if (accepted.status !== 202) throw new Error(`the API answered ${accepted.status}`);
  const [row] = await postgres.query<TemplateRow>(
    `SELECT job.account_id, key.id AS key_id, input.object_id, input.size::integer, encode(input.sha256, 'hex') AS sha256, outbox.body
     FROM jobs AS job JOIN api_keys AS key USING (account_id) JOIN job_inputs AS input ON input.job_id = job.id, outbox`,
    [],
    databaseUrl,
  );
  if (row === undefined) throw new Error('the accepted job cannot be found');
  const input = { objectId: row.object_id, name: 'a.pdf', mediaType: 'application/pdf', sizeBytes: row.size };
  return {
    body: JSON.stringify(job),
    template: {
      accountId: row.account_id,
      apiKeyId: row.key_id,
      inputs: [{ document: { ...input, sha256: row.sha256 }, source: null }],
      answerBody: accepted.body.toString('utf8'),
      commandBody: row.body,
    },
  };
}

interface TemplateRow {
  readonly account_id: string;
  readonly key_id: string;
  readonly object_id: string;
  readonly size: number;
  readonly sha256: string;
  readonly body: string;
}

function environment(databaseUrl: string, directory: string): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: String(poolSize),
    STORAGE_URL: pathToFileURL(join(directory, 'objects')).href,
    SECRET_KEY: `k1:${randomBytes(32).toString('base64')}`,
    KAFKA_BROKERS: '',
  };
}

async function command(
  name: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<string> {
  const file = join(packageRoot, `dist/apps/api/src/cli/${name}.js`);
  return (await run(process.execPath, [file, ...args], { env: { ...process.env, NODE_OPTIONS: '', ...env } })).stdout;
}
