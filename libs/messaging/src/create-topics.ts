import { pause } from '#libs/pace';
import type { Admin } from 'kafkajs';
import type { KafkaConnection } from './kafka-connection.js';
import { topicTable, type TopicSpec } from './topics.js';

const knownWithinMs = 15_000;
const lookEveryMs = 100;
const passing = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE'];

/** How topics are created: `partitions` replaces the stated number of the public topics (dead-letter topics keep theirs). */
export interface CreateTopicsOptions {
  readonly replicationFactor: number;
  readonly partitions?: number;
  readonly topics?: readonly TopicSpec[];
}

/** What became of one topic; `partitions` is the number it has now, which for an existing one may differ from the stated one. */
export interface TopicReport {
  readonly name: string;
  readonly outcome: 'created' | 'existing';
  readonly partitions: number;
}

/**
 * Creates the topics that are missing and leaves the existing ones as they are.
 *
 * @throws when Kafka is unreachable or refuses a topic (for instance a replication factor above the number of brokers)
 */
export async function createTopics(connection: KafkaConnection, options: CreateTopicsOptions): Promise<TopicReport[]> {
  const client = connection.open({ requestTimeoutMs: 15_000, retries: 3 });
  const admin = client.kafka.admin();
  try {
    await admin.connect();
    const known = new Set(await admin.listTopics());
    const reports: TopicReport[] = [];
    for (const topic of options.topics ?? topicTable) {
      const created = !known.has(topic.name) && (await create(admin, topic, options));
      reports.push({
        name: topic.name,
        outcome: created ? 'created' : 'existing',
        partitions: await partitionCount(admin, topic.name),
      });
    }
    return reports;
  } finally {
    await admin.disconnect().catch(() => undefined);
    client.destroy();
  }
}

async function create(admin: Admin, topic: TopicSpec, options: CreateTopicsOptions): Promise<boolean> {
  const { replicationFactor } = options;
  const config = { ...topic.config, ...(replicationFactor >= 3 ? { 'min.insync.replicas': '2' } : {}) };
  return admin.createTopics({
    waitForLeaders: false,
    topics: [
      {
        topic: topic.name,
        numPartitions: topic.partitions === 1 ? 1 : (options.partitions ?? topic.partitions),
        replicationFactor,
        configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
      },
    ],
  });
}

/** A new topic is known to the controller before the brokers know it and its partitions have leaders; so that is waited for, within a bound. */
async function partitionCount(admin: Admin, topic: string): Promise<number> {
  const deadline = performance.now() + knownWithinMs;
  for (;;) {
    try {
      const metadata = await admin.fetchTopicMetadata({ topics: [topic] });
      return metadata.topics[0]?.partitions.length ?? 0;
    } catch (error) {
      if (!isNotKnownYet(error) || performance.now() > deadline) throw error;
    }
    await pause(lookEveryMs);
  }
}

function isNotKnownYet(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isPassing = 'type' in error && passing.includes(String(error.type));
  return isPassing || isNotKnownYet(error.cause);
}
