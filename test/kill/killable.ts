import { createHash } from 'node:crypto';
import type { JobView } from '#libs/domain';
import type { FailpointName } from '#libs/failpoints';
import { type ApiAnswer, ApiClient, type SentFile } from '../support/api-client.js';
import { Cluster, type ClusterOptions } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { samplePdf, widthsFrom } from '../support/pdf-samples.js';
import { type ReceivedRequest, verified, WebhookReceiver } from '../support/webhook-receiver.js';
import { TopicReader } from '../transport/topic-reader.js';

/** What is known of a job whose request was repeated after a kill. */
export interface Outcome {
  readonly job: JobView;
  /** The requests that the receiver got for it, in order of arrival. */
  readonly requests: readonly ReceivedRequest[];
  readonly eventId: string;
}

/** An account with one endpoint; what it sends is kept, so a request can be repeated. */
export interface Party {
  readonly client: ApiClient;
  readonly verify: (request: ReceivedRequest) => unknown;
}

export const dyingWithinMs = 20_000;
const answeredWithinMs = 10_000;
const endedWithinMs = 30_000;
/** A delivery whose sender died is taken again when its lease of WEBHOOK_TIMEOUT + 15 s has ended. */
const deliveredWithinMs = 30_000;

/** Short leases, so that a rescue is not long in coming. */
const env = { JOB_LEASE: '2s', JOB_TIMEOUT: '4s', WEBHOOK_TIMEOUT: '1s' };

/** Processes to kill, and everything the outside world sees of them: a receiver of webhooks, and the topic of events where there is Kafka. */
export class Killable {
  #accounts = 0;

  private constructor(
    readonly cluster: Cluster,
    readonly receiver: WebhookReceiver,
    private readonly topics: Readonly<Record<'jobs' | 'events', TopicReader>> | null,
    private readonly files: readonly SentFile[],
  ) {}

  static async start(options: ClusterOptions = {}): Promise<Killable> {
    const files = [
      { name: 'a.pdf', bytes: await samplePdf(widthsFrom(100, 2)) },
      { name: 'b.pdf', bytes: await samplePdf(widthsFrom(200, 3)) },
    ];
    const cluster = await Cluster.start({ ...options, env: { ...env, ...options.env } });
    const receiver = await WebhookReceiver.open();
    const { brokers } = options;
    const read = (topic: string) => new TopicReader([...(brokers ?? [])], topic).start();
    const topics =
      brokers === undefined ? null : { jobs: await read('pdfonce.jobs.v1'), events: await read('pdfonce.events.v1') };
    return new Killable(cluster, receiver, topics, files);
  }

  async stop(): Promise<void> {
    await Promise.all([this.topics?.jobs.stop(), this.topics?.events.stop()]);
    await this.receiver.close();
    await this.cluster.stop();
  }

  async newParty(path = ''): Promise<Party> {
    this.#accounts += 1;
    const client = new ApiClient(
      this.cluster.apiUrls[0] ?? '',
      await this.cluster.createKey(`account-${this.#accounts}`),
    );
    const endpoint = await client.createEndpoint({ url: this.receiver.url + path });
    return { client, verify: verified(endpoint.json<{ secret: string }>().secret) };
  }

  /** Submits a job with its documents; `null` when the connection broke, as it does when the process is killed. */
  submit({ client }: Party, key: string): Promise<ApiAnswer | null> {
    return client.submitFiles(this.files, { key, metadata: { order: key } }).catch(() => null);
  }

  /** Sends a request that names files which were uploaded before, so it is nothing but its admission. */
  async submission({ client }: Party): Promise<(api: ApiClient, key: string) => Promise<ApiAnswer | null>> {
    const uploads = await Promise.all(this.files.map((file) => client.uploadFile(file)));
    const inputs = uploads.map((upload) => ({ file_id: upload.json<{ id: string }>().id }));
    return (api, key) => api.submit({ operation: 'merge', inputs }, { key }).catch(() => null);
  }

  /** Repeats a request until it is answered, as a careful client does. */
  async retry(send: () => Promise<ApiAnswer | null>): Promise<ApiAnswer> {
    return eventually(
      async () => {
        const answer = await send();
        return answer !== null && answer.status < 500 ? answer : undefined;
      },
      { withinMs: answeredWithinMs, everyMs: 50, describe: 'an answer to the retry' },
    ) as Promise<ApiAnswer>;
  }

  /** Waits for the end that a process made for itself. @throws when it did not die at that point */
  async died(name: string, point: FailpointName): Promise<void> {
    const process = this.cluster.process(name);
    await process.waitForLog(({ fields }) => fields?.['failpoint'] === point, { withinMs: dyingWithinMs });
    await process.waitForEnd({ code: null, signal: 'SIGKILL' });
  }

  /**
   * Holds everything that can be seen from outside against the promise: the retry was accepted, there is one job and one output, and it is
   * whole; one usage record; one event, under one id at the receiver, in the API and on the topic.
   */
  async keepsPromise(party: Party, key: string, retried: ApiAnswer): Promise<Outcome> {
    const { client } = party;
    expect(retried.status).toBe(202);
    const job = await client.endedJob(retried.json<JobView>().id, endedWithinMs);
    expect(job).toMatchObject({ state: 'completed', idempotency_key: key });
    expect((await client.list<JobView>('/v1/jobs')).map(({ id }) => id)).toEqual([job.id]);
    expect(job.outputs).toMatchObject([{ index: 0, pages: 5 }]);
    const { body } = await client.download(job.id);
    expect(createHash('sha256').update(body).digest('hex')).toBe(job.outputs[0]?.sha256);
    expect((await client.usage()).total.jobs).toBe(1);
    const { requests, eventId } = await this.#delivered(party, job.id);
    expect((await client.list<{ id: string }>('/v1/events')).map(({ id }) => id)).toEqual([eventId]);
    await this.#onTopic('events', job.id, eventId);
    await this.#onTopic('jobs', job.id);
    return { job, requests, eventId };
  }

  /** The event ids on a topic for a job (or another key), duplicates included. Empty without Kafka. */
  idsOnTopic(topic: 'jobs' | 'events', key: string): string[] {
    const records = this.topics?.[topic].messages.filter((message) => message.key?.toString() === key) ?? [];
    return records.map(({ headers }) => String(headers?.['ce_id']));
  }

  async #delivered({ client, verify }: Party, jobId: string): Promise<Pick<Outcome, 'requests' | 'eventId'>> {
    const delivery = await eventually(async () => (await client.list('/v1/deliveries', { state: 'delivered' }))[0], {
      withinMs: deliveredWithinMs,
      everyMs: 100,
      describe: `the delivery of ${jobId}`,
    });
    const requests = this.receiver.received(({ body }) => body.includes(jobId));
    const ids = new Set(requests.map((request) => (verify(request) as { id: string }).id));
    expect([...ids]).toEqual([delivery?.['event_id']]);
    return { requests, eventId: String(delivery?.['event_id']) };
  }

  /** At least once, under one id. */
  async #onTopic(topic: 'jobs' | 'events', jobId: string, eventId?: string): Promise<void> {
    if (this.topics === null) return;
    const ids = await eventually(
      () => (this.idsOnTopic(topic, jobId).length > 0 ? this.idsOnTopic(topic, jobId) : undefined),
      {
        withinMs: deliveredWithinMs,
        describe: `${jobId} on the topic of ${topic}`,
      },
    );
    expect(new Set(ids).size).toBe(1);
    if (eventId !== undefined) expect(ids?.[0]).toBe(eventId);
  }
}
