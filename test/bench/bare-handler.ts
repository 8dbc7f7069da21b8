import { Database, AdmissionStore, type NewJob } from '#libs/persistence';
import { fastify } from 'fastify';
import { uuidv7 } from 'uuidv7';

/**
 * What admission is measured against: Fastify, pg and the statement by which the product admits one job, with as many connections. No authentication, no
 * validation, no fingerprint, no log; every job has the input and the texts of the template.
 */
export interface BareTemplate {
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly port: number;
  readonly apiKeyId: string;
  readonly accountId: string;
  readonly inputs: NewJob['inputs'];
  /** Texts as long as those that the API writes. */
  readonly answerBody: string;
  readonly commandBody: string;
}

const template = JSON.parse(process.argv[2] ?? '') as BareTemplate;
const { databaseUrl, poolSize, port } = template;
const database = new Database({ url: databaseUrl, purpose: 'admission', poolSize });
const store = new AdmissionStore(database, { topic: 'pdfonce.jobs.v1', state: 'local' });
const answer = {
  status: 202,
  location: '/v1/jobs/job_00000000000000000000000000',
  contentType: 'application/json; charset=utf-8',
  body: template.answerBody,
};
const server = fastify({ logger: false });

server.get('/healthz', async () => ({ status: 'ok' }));
server.post('/v1/jobs', async (request, reply) => {
  const key = String(request.headers['idempotency-key']);
  const { operation } = request.body as { operation: string };
  const { accountId, apiKeyId } = template;
  const record = { accountId, route: 'POST /v1/jobs', key, fingerprint: fingerprintSized, answer, isSealed: false };
  const admission = await store.admitJob(apiKeyId, jobOf(operation, key), { record, mode: 'insert' });
  return reply
    .status(admission.kind === 'admitted' ? 202 : 409)
    .header('content-type', answer.contentType)
    .send(answer.body);
});

const fingerprintSized = 'v1:'.padEnd(67, '0');
await server.listen({ port, host: '127.0.0.1' });

function jobOf(operation: string, idempotencyKey: string): NewJob {
  const id = uuidv7();
  const createdAt = new Date();
  return {
    id,
    accountId: template.accountId,
    operation,
    options: {},
    metadata: {},
    idempotencyKey,
    progress: { done: 0, total: template.inputs.length, unit: 'inputs' },
    createdAt,
    inputs: template.inputs,
    command: { id: uuidv7(), type: 'job.submitted', occurredAt: createdAt, body: template.commandBody },
  };
}
