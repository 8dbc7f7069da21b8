import { Kafka, logLevel, type KafkaConfig } from 'kafkajs';
import type { Logger } from 'pino';
import { ClientSockets } from './client-sockets.js';
import { kafkaLog } from './kafka-log.js';

type Mechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

/** User and password for Kafka's SASL mechanisms. */
export type KafkaSasl = {
  [M in Mechanism]: { readonly mechanism: M; readonly username: string; readonly password: string };
}[Mechanism];

/** Where Kafka is and how to speak to it. */
export interface KafkaConnectionOptions {
  /** `host:port` of one or more brokers. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly tls?: boolean;
  readonly sasl?: KafkaSasl;
  readonly log: Logger;
}

/** One kafkajs client and its sockets. */
export interface KafkaClient {
  readonly kafka: Kafka;
  /** False as soon as the broker's end is gone, which kafkajs itself does not tell. */
  hasOpenSocket(): boolean;
  /** Ends every socket at once; all that waits for an answer fails. Also silences the client's log. */
  destroy(): void;
}

/** A way to Kafka; it opens nothing by itself. */
export interface KafkaConnection {
  /** For this library's own use: a new client that starts with the next broker of the list. */
  open(settings: { requestTimeoutMs: number; retries: number }): KafkaClient;
}

/** Describes a way to Kafka without connecting: every process starts and works while Kafka is unreachable. */
export function kafkaConnection(options: KafkaConnectionOptions): KafkaConnection {
  if (options.brokers.length === 0) throw new Error('kafkaConnection needs at least one broker');
  const write = kafkaLog(options.log, () => performance.now());
  let opened = 0;
  return {
    open({ requestTimeoutMs, retries }) {
      const sockets = new ClientSockets();
      const kafka = new Kafka({
        ...security(options),
        clientId: options.clientId,
        brokers: rotated(options.brokers, opened++),
        connectionTimeout: 2_000,
        requestTimeout: requestTimeoutMs,
        retry: { retries, initialRetryTime: 100, maxRetryTime: 1_000 },
        socketFactory: (args) => sockets.connect(args),
        logLevel: logLevel.WARN,
        logCreator: () => (entry) => {
          if (!sockets.destroyed) write(entry);
        },
      });
      return { kafka, hasOpenSocket: () => sockets.hasOpen(), destroy: () => sockets.destroy() };
    },
  };
}

function security({ tls: secure, sasl }: KafkaConnectionOptions): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  const config: Pick<KafkaConfig, 'ssl' | 'sasl'> = secure === true ? { ssl: true } : {};
  if (sasl) config.sasl = { ...sasl };
  return config;
}

function rotated(brokers: readonly string[], by: number): string[] {
  const first = by % brokers.length;
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}
