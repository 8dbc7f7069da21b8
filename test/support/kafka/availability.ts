import { spawnSync } from 'node:child_process';

export type KafkaAvailability = { readonly available: true } | { readonly available: false; readonly reason: string };

/** The brokers that `KAFKA_BROKERS` names, if it does. */
export function givenBrokers(): string[] | undefined {
  const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',').map((broker) => broker.trim());
  const named = brokers.filter((broker) => broker !== '');
  return named.length > 0 ? named : undefined;
}

/**
 * Whether tests can have a broker: the one that `KAFKA_BROKERS` names, or one they start themselves with Java 17+ and Maven.
 *
 * @param own ask for one of our own, which can be killed and paused; `KAFKA_BROKERS` does not count then
 */
export function kafkaAvailability({ own = false }: { own?: boolean } = {}): KafkaAvailability {
  if (!own && givenBrokers()) return { available: true };
  const missing = ['java', 'mvn'].filter((tool) => spawnSync(tool, ['-version'], { stdio: 'ignore' }).status !== 0);
  if (missing.length === 0) return { available: true };
  const wish = own ? 'a Kafka broker that tests may kill' : 'a Kafka broker';
  return {
    available: false,
    reason: `no ${missing.join(' and no ')} to start ${wish}${own ? '' : ', and KAFKA_BROKERS is not set'}`,
  };
}
