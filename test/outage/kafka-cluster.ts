import { createTopics, kafkaConnection, topics } from '#libs/messaging';
import { pino } from 'pino';
import { ApiClient } from '../support/api-client.js';
import { Cluster, type ClusterOptions } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { type KafkaBroker, startKafkaBroker } from '../support/kafka-broker.js';
import { type ReceivedRequest, WebhookReceiver } from '../support/webhook-receiver.js';
import { TopicReader } from '../transport/topic-reader.js';

/** What is told of a job's end at the endpoint. */
export interface Told {
  readonly eventId: string;
  readonly jobId: string;
  readonly receivedAt: Date;
}

/** A cluster on Kafka with a client and a webhook endpoint, on a broker of its own that can be taken away. */
export class KafkaCluster {
  private constructor(
    readonly broker: KafkaBroker,
    readonly cluster: Cluster,
    readonly api: ApiClient,
    private readonly receiver: WebhookReceiver,
  ) {}

  /** @param withBroker whether the broker is there when the processes start */
  static async start(
    options: ClusterOptions & { readonly withBroker: boolean; readonly partitions?: number },
  ): Promise<KafkaCluster> {
    const broker = await startKafkaBroker({ own: true });
    const connection = kafkaConnection({ brokers: broker.brokers, clientId: 'test', log: pino({ level: 'silent' }) });
    const { partitions, withBroker } = options;
    await createTopics(connection, { replicationFactor: 1, ...(partitions === undefined ? {} : { partitions }) });
    if (!withBroker) await broker.kill();
    const env = { KAFKA_BROKERS: broker.brokers.join(','), ...options.env };
    const [cluster, receiver] = await Promise.all([Cluster.start({ ...options, env }), WebhookReceiver.open()]);
    const api = new ApiClient(cluster.apiUrls[0] ?? '', await cluster.createKey('outage'));
    const { status } = await api.createEndpoint({ url: receiver.url });
    if (status !== 201) throw new Error(`the endpoint was answered with ${status}`);
    return new KafkaCluster(broker, cluster, api, receiver);
  }

  /** Resolves when the worker and the dispatcher are members of their groups. */
  async consumes(): Promise<void> {
    for (const name of ['worker-1', 'dispatcher-1']) {
      await this.cluster
        .process(name)
        .waitForLog(({ fields }) => fields?.['msg'] === 'kafka.group-joined', { withinMs: 30_000 });
    }
  }

  /** Every request at the endpoint, in order of arrival. */
  told(): Told[] {
    return this.receiver.received().map(toldBy);
  }

  /** Waits until the endpoint was told the end of every job. */
  async toldOf(jobIds: readonly string[], withinMs: number): Promise<void> {
    await eventually(
      () => {
        const told = new Set(this.told().map(({ jobId }) => jobId));
        return jobIds.every((jobId) => told.has(jobId));
      },
      { withinMs, describe: `webhooks for ${jobIds.length} jobs` },
    );
  }

  /** A reader of the events topic, from its beginning. */
  readTopic(): Promise<TopicReader> {
    return new TopicReader(this.broker.brokers, topics.events).start();
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await this.receiver.close();
    await this.broker.stop();
  }
}

function toldBy({ body, receivedAt }: ReceivedRequest): Told {
  const event = JSON.parse(body.toString('utf8')) as { id: string; data: { id: string } };
  return { eventId: event.id, jobId: event.data.id, receivedAt };
}
