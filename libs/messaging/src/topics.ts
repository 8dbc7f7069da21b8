const dayMs = 24 * 60 * 60 * 1000;

/** The public topics (contract, section 5). */
export const topics = { jobs: 'pdfonce.jobs.v1', events: 'pdfonce.events.v1' } as const;

/** Consumer groups of our own processes: stable, one per app and purpose. */
export const consumerGroups = { worker: 'pdfonce.worker', dispatcher: 'pdfonce.dispatcher' } as const;

/** A topic as it is created: `partitions` and the topic's configuration entries. */
export interface TopicSpec {
  readonly name: string;
  readonly purpose: string;
  readonly partitions: number;
  readonly config: Readonly<Record<string, string>>;
}

/** Where records of `topic` go that cannot be decoded. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

/** Every topic of the product, with its partitions and configuration. */
export const topicTable: readonly TopicSpec[] = [
  ...withDeadLetters(topics.jobs, 'commands to the workers: a job was submitted', 7 * dayMs),
  ...withDeadLetters(topics.events, 'public events of jobs, batches and endpoints', 30 * dayMs),
];

function withDeadLetters(name: string, purpose: string, retentionMs: number): TopicSpec[] {
  return [
    { name, purpose, partitions: 6, config: topicConfig(retentionMs) },
    {
      name: deadLetterTopic(name),
      purpose: `records of ${name} that could not be decoded`,
      partitions: 1,
      config: topicConfig(30 * dayMs),
    },
  ];
}

function topicConfig(retentionMs: number): Record<string, string> {
  return {
    'cleanup.policy': 'delete',
    'message.timestamp.type': 'LogAppendTime',
    'retention.ms': String(retentionMs),
  };
}
