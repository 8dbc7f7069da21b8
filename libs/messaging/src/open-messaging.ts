import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { Logger } from 'pino';
import type { Announcer } from './announcer.js';
import { kafkaConnection, type KafkaSasl } from './kafka-connection.js';
import { KafkaPublisher } from './kafka-publisher.js';
import { KafkaTransport } from './kafka-transport.js';
import { LocalBus } from './local-bus.js';
import { LocalTransport } from './local-transport.js';
import { OutboxRelay, type RelayObserver } from './outbox-relay.js';
import type { OutboxSource } from './outbox-source.js';

/** How a process carries messages. */
export interface MessagingOptions {
  readonly kafka: KafkaSettings;
  readonly clientId: string;
  readonly source: OutboxSource;
  readonly pollMs: number;
  /** Runs between Kafka's acknowledgement and the mark. */
  readonly afterPublish?: () => Promise<void>;
  readonly observe?: RelayObserver;
  /** What closing transport and relay may take in all; what Kafka has not answered by then is cut off. */
  readonly closeMs: number;
  readonly log: Logger;
}

/** Parts of the time for closing: a transport leaves its group, the relay ends its round and then its connection. */
const transportShare = 0.5;
const relayShare = 0.2;

/** Without brokers there is no Kafka. */
export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly tls: boolean;
  readonly sasl: KafkaSasl | null;
}

/** Messaging of one process: through Kafka, or within the process where there is none. */
export interface Messaging {
  readonly announcer: Announcer;
  /** How outbox rows are to be written: for the relay, or never to be published. */
  readonly outboxState: 'pending' | 'local';
  /** `null` without Kafka. */
  readonly isConnected: (() => boolean) | null;
  /** A transport for the handlers of one consumer group. */
  transport(groupId: string): CustomTransportStrategy;
  start(): void;
  stop(): Promise<void>;
}

/** Makes the messaging that the settings ask for; nothing connects before `start`. */
export function openMessaging(options: MessagingOptions): Messaging {
  return options.kafka.brokers.length === 0 ? localMessaging(options.log) : kafkaMessaging(options);
}

/** Messaging within one process: nothing is published, and other processes find their work by poll. */
export function localMessaging(log: Logger): Messaging {
  const bus = new LocalBus();
  return {
    announcer: bus,
    outboxState: 'local',
    isConnected: null,
    transport: () => new LocalTransport({ bus, log }),
    start: () => undefined,
    stop: async () => undefined,
  };
}

function kafkaMessaging(options: MessagingOptions): Messaging {
  const { kafka, clientId, source, pollMs, afterPublish, observe, closeMs, log } = options;
  const { brokers, tls, sasl } = kafka;
  const connection = kafkaConnection({ brokers, clientId, tls, log, ...(sasl === null ? {} : { sasl }) });
  const relay = new OutboxRelay({
    source,
    publisher: new KafkaPublisher(connection),
    pollMs,
    log,
    ...(afterPublish === undefined ? {} : { afterPublish }),
    ...(observe === undefined ? {} : { observe }),
  });
  return {
    announcer: relay,
    outboxState: 'pending',
    isConnected: () => relay.isConnected(),
    transport: (groupId) => new KafkaTransport({ connection, groupId, closeMs: closeMs * transportShare, log }),
    start: () => relay.start(),
    stop: () => relay.stop(closeMs * relayShare),
  };
}
