import { freePort } from '../free-port.js';

/** The ports of a broker; they stay the same over restarts. */
export interface BrokerPorts {
  readonly client: number;
  readonly controller: number;
}

/** server.properties of a single node that is broker and controller; listeners of `more` come beside its own. */
export function brokerSettings(
  ports: BrokerPorts,
  logDirectory: string,
  { listeners, 'listener.security.protocol.map': protocols, ...more }: Readonly<Record<string, string>> = {},
): string {
  const and = (added: string | undefined) => (added === undefined ? '' : `,${added}`);
  const advertised = `PLAINTEXT://127.0.0.1:${ports.client}${and(listeners)}`;
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.bootstrap.servers': `127.0.0.1:${ports.controller}`,
    listeners: `${advertised},CONTROLLER://127.0.0.1:${ports.controller}`,
    'advertised.listeners': advertised,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': `CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT${and(protocols)}`,
    'log.dirs': logDirectory,
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    'auto.create.topics.enable': 'false',
    // A killed broker is let back in only after its session.
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
    ...more,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** Two ports that are free now and will be after a restart. */
export async function freePorts(): Promise<BrokerPorts> {
  return { client: await freePort(), controller: await freePort() };
}
