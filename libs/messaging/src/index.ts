export type { Announcer } from './announcer.js';
export { createTopics, type CreateTopicsOptions, type TopicReport } from './create-topics.js';
export { decodeRecord, encodeRecord, type Decoded, type EncodedRecord, type RawRecord } from './envelope.js';
export type { InboundMessage, TopicBatches } from './inbound-message.js';
export {
  kafkaConnection,
  type KafkaConnection,
  type KafkaConnectionOptions,
  type KafkaSasl,
} from './kafka-connection.js';
export { KafkaPublisher } from './kafka-publisher.js';
export { KafkaTransport, type KafkaTransportOptions } from './kafka-transport.js';
export { LocalBus } from './local-bus.js';
export { LocalTransport, type LocalTransportOptions } from './local-transport.js';
export {
  type KafkaSettings,
  type Messaging,
  type MessagingOptions,
  openMessaging,
  localMessaging,
} from './open-messaging.js';
export type { OutboxRecord } from './outbox-record.js';
export { OutboxRelay, type OutboxRelayOptions, type RelayObserver } from './outbox-relay.js';
export type { OutboxSource } from './outbox-source.js';
export { consumerGroups, deadLetterTopic, topics, topicTable, type TopicSpec } from './topics.js';
