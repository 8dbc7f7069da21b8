import { freePort } from '../support/free-port.js';
import type { BareTemplate } from './bare-handler.js';
import { compareLoads, type Comparison, type ComparisonOptions } from './comparison.js';
import type { MeasuredServer } from './measured-server.js';
import { poolSize, type Stage, withStages } from './stage.js';

/** Admission through the API against a bare handler on the same database: the ratio of requests per second. */
export async function compareAdmission(options: ComparisonOptions): Promise<Comparison<'api' | 'bare'>> {
  return withStages(options.directory, async (open) => {
    const stage = await open('admission');
    const bare = await startBare(stage);
    const load = { keys: 'fresh', measuredMs: options.measuredMs } as const;
    const measures = { api: () => stage.measure(load), bare: () => stage.measure(load, bare) };
    return compareLoads(options, measures, (pair) => pair.api.perSecond / pair.bare.perSecond);
  });
}

async function startBare(stage: Stage): Promise<MeasuredServer> {
  const port = await freePort();
  const { databaseUrl } = stage;
  const template: BareTemplate = { ...(await templateOf(stage)), databaseUrl, poolSize, port };
  const entry = 'test/bench/bare-handler.js';
  return stage.startServer({ name: 'bare', entry, port, args: [JSON.stringify(template)] });
}

/** What the API writes for the job of the stage, so that the bare handler writes as much. */
async function templateOf(stage: Stage): Promise<Omit<BareTemplate, 'databaseUrl' | 'poolSize' | 'port'>> {
  const accepted = await stage.client.submit(stage.job, { key: 'bench-template' });
  if (accepted.status !== 202) throw new Error(`the API answered ${accepted.status}`);
  const [row] = await stage.query<TemplateRow>(
    `SELECT job.account_id, key.id AS key_id, input.object_id, input.size::integer, encode(input.sha256, 'hex') AS sha256, outbox.body
     FROM jobs AS job JOIN api_keys AS key USING (account_id) JOIN job_inputs AS input ON input.job_id = job.id, outbox`,
  );
  if (row === undefined) throw new Error('the accepted job cannot be found');
  const document = { objectId: row.object_id, name: 'a.pdf', mediaType: 'application/pdf', sizeBytes: row.size };
  return {
    accountId: row.account_id,
    apiKeyId: row.key_id,
    inputs: [{ document: { ...document, sha256: row.sha256 }, source: null }],
    answerBody: accepted.body.toString('utf8'),
    commandBody: row.body,
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
