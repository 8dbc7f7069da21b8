import { asyncApiDocument, type DescribedTopic, version } from '#libs/contract';
import { consumerGroups, deadLetterTopic, topics, topicTable, type TopicSpec } from '#libs/messaging';

/** The AsyncAPI document of the topics as `npm run topics` creates them. */
export function asyncApi() {
  return asyncApiDocument({
    version,
    topics: {
      jobs: described(topics.jobs, consumerGroups.worker),
      events: described(topics.events, consumerGroups.dispatcher),
    },
  });
}

function described(name: string, group: string): DescribedTopic {
  return { ...specOf(name), deadLetters: specOf(deadLetterTopic(name)), group };
}

function specOf(name: string): TopicSpec {
  const spec = topicTable.find((topic) => topic.name === name);
  if (spec === undefined) throw new Error(`the topic ${name} is not in the table`);
  return spec;
}
