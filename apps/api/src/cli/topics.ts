import { readSettings } from '#libs/contract';
import { createTopics, kafkaConnection } from '#libs/messaging';
import { processLog, runCommand } from '#libs/process';

const options = {
  partitions: { type: 'string', about: 'partitions of each topic, instead of the stated ones' },
  'replication-factor': { type: 'string', about: 'replicas of each partition (default 1)' },
} as const;

await runCommand(
  { usage: 'npm run topics -- [options]', about: 'Creates the topics that KAFKA_BROKERS miss.', options },
  async (given) => {
    const { KAFKA_BROKERS, KAFKA_SASL, KAFKA_TLS } = readSettings(process.env, [
      'KAFKA_BROKERS',
      'KAFKA_SASL',
      'KAFKA_TLS',
    ]);
    if (KAFKA_BROKERS.length === 0) throw new Error('KAFKA_BROKERS is not set');
    const log = processLog('topics', process.env);
    const connection = kafkaConnection({
      brokers: KAFKA_BROKERS,
      clientId: 'pdfonce-topics',
      tls: KAFKA_TLS,
      log,
      ...(KAFKA_SASL === null ? {} : { sasl: KAFKA_SASL }),
    });
    const partitions = count(given['partitions'], 'partitions');
    const report = await createTopics(connection, {
      replicationFactor: count(given['replication-factor'], 'replication-factor') ?? 1,
      ...(partitions === undefined ? {} : { partitions }),
    });
    console.log(JSON.stringify(report, null, 2));
  },
);

function count(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`--${name} must be a whole number from 1 to 9999`);
  return Number(text);
}
