import { createHash } from 'node:crypto';
import type { JobView } from '#libs/domain';
import { ApiClient, type ApiAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { type WebhookReceiver, verified } from '../support/webhook-receiver.js';
import type { EmbeddedService } from './embedded-service.js';
import { sourceDocument } from './source-document.js';

/** What the demonstration is played with. */
export interface Stage {
  readonly service: EmbeddedService;
  readonly receiver: WebhookReceiver;
  /** Told what happens. */
  readonly say: (line: string) => void;
}

/** What was counted, by the answers of the API and by the receiver. */
export interface Findings {
  readonly requests: number;
  /** Requests that the kill left without an answer. */
  readonly cutOff: number;
  readonly jobs: number;
  readonly attempts: number;
  readonly outputs: number;
  readonly pages: number;
  readonly expectedPages: number;
  /** Different documents among those that the retries got. */
  readonly documents: number;
  readonly usageRecords: number;
  readonly eventIds: number;
  readonly deliveries: number;
  readonly document: Buffer;
}

const clients = 20;
const key = 'order-42';
const sources = { documents: 3, pages: 60, inputs: 80 };
const seenWithinMs = 20_000;
const eventWithinMs = 10_000;

/**
 * Twenty clients ask for one document under one key and wait for it; the service is killed while it is at work and started again; the
 * clients repeat what they asked for.
 */
export async function demonstrate({ service, receiver, say }: Stage): Promise<Findings> {
  await service.start();
  say(`started    the service, process ${service.pid}, at ${service.url}`);
  const client = new ApiClient(service.url, await service.apiKey());
  const endpoint = await created<{ secret: string }>(client.createEndpoint({ url: receiver.url }));
  const order = await orderOf(client);
  say(
    `uploaded   ${sources.documents} documents of ${sources.pages} pages; an order of ${sources.inputs} of them to merge`,
  );

  const first = sendAll(client, order);
  say(`sent       ${clients} parallel requests under the key ${key}, each waiting for its document`);
  const seen = await jobAtWork(client);
  const { pid } = service;
  await service.kill();
  say(`killed     process ${pid} by SIGKILL: it had merged ${seen.progress.done} of ${seen.progress.total} inputs`);
  const cutOff = (await first).filter((answer) => answer === null).length;

  await service.start();
  say(`started    the service again, process ${service.pid}, on the same directory`);
  const answers = await sendAll(client, order);
  say(`repeated   the same ${clients} requests; every client got its document`);
  const findings = await count(client, receiver, verified(endpoint.secret));
  const bodies = answers.map(documentOf);
  return {
    requests: 2 * clients,
    cutOff,
    expectedPages: sources.inputs * sources.pages,
    documents: new Set([...bodies, findings.document].map(hash)).size,
    ...findings,
  };
}

async function created<T>(sent: Promise<ApiAnswer>): Promise<T> {
  const answer = await sent;
  if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.body.toString('utf8')}`);
  return answer.json<T>();
}

async function orderOf(client: ApiClient): Promise<object> {
  const names = Array.from({ length: sources.documents }, (_, index) => `Report ${index + 1}`);
  const files: string[] = [];
  for (const name of names) {
    const bytes = await sourceDocument(name, sources.pages);
    const file = await created<{ id: string }>(client.uploadFile({ name: `${name}.pdf`, bytes }, { key: name }));
    files.push(file.id);
  }
  const inputs = Array.from({ length: sources.inputs }, (_, index) => ({ file_id: files[index % files.length] }));
  return { operation: 'merge', inputs, metadata: { order: '42' } };
}

/** The answers to as many equal requests as there are clients; `null` for one that got none. */
function sendAll(client: ApiClient, order: object): Promise<(ApiAnswer | null)[]> {
  const options = { key, wait: 60, accept: 'application/pdf' };
  const send = () => client.post('/v1/jobs', order, options).catch(() => null);
  return Promise.all(Array.from({ length: clients }, send));
}

/** The job once it is seen to have done a part of its work. @throws when it was not seen at work */
async function jobAtWork(client: ApiClient): Promise<JobView> {
  const job = await eventually(
    async () => {
      const [only] = await client.list<JobView>('/v1/jobs', { idempotency_key: key });
      return only !== undefined && (only.progress.done > 0 || only.finished_at !== null) ? only : undefined;
    },
    { withinMs: seenWithinMs, everyMs: 25, describe: 'a job that is at work' },
  );
  if (job?.state !== 'processing') throw new Error(`the job was not seen at work: it is ${job?.state}`);
  return job;
}

function documentOf(answer: ApiAnswer | null): Buffer {
  if (answer?.status === 200 && answer.headers.get('content-type') === 'application/pdf') return answer.body;
  throw new Error(
    `a retry got no document: ${answer === null ? 'no answer' : `${answer.status} ${answer.body.toString('utf8')}`}`,
  );
}

async function count(client: ApiClient, receiver: WebhookReceiver, verify: ReturnType<typeof verified>) {
  const jobs = await client.list<JobView>('/v1/jobs');
  const [job] = jobs;
  if (job === undefined) throw new Error('there is no job');
  const requests = await eventually(() => (receiver.received().length > 0 ? receiver.received() : undefined), {
    withinMs: eventWithinMs,
    describe: 'the webhook',
  });
  const events = await client.list<{ id: string }>('/v1/events');
  const received = (requests ?? []).map((request) => (verify(request) as { id: string }).id);
  return {
    jobs: jobs.length,
    attempts: job.attempt,
    outputs: job.outputs.length,
    pages: job.outputs[0]?.pages ?? 0,
    usageRecords: (await client.usage()).total.jobs,
    eventIds: new Set([...events.map(({ id }) => id), ...received]).size,
    deliveries: received.length,
    document: (await client.download(job.id)).body,
  };
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
