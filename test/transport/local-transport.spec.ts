import { LocalBus, LocalTransport, topics } from '#libs/messaging';
import { pino } from 'pino';
import { eventually } from '../support/eventually.js';
import { controllerOf, createConsumerApp, describeTransport, gate, outboxRecord } from './transport.contract.js';

const log = pino({ level: 'silent' });

describeTransport({
  name: 'local',
  openBench: async () => {
    const bus = new LocalBus();
    return {
      topic: topics.jobs,
      createTransport: () => new LocalTransport({ bus, log, topics: [topics.jobs] }),
      publish: async (records) => bus.announce(records),
    };
  },
});

describe('the local bus', () => {
  it('does nothing without a transport', () => {
    new LocalBus().announce([outboxRecord(topics.jobs)]);
  });

  it('returns before any handler runs, and makes one call of what was announced in one turn', async () => {
    const bus = new LocalBus();
    const calls: number[] = [];
    const app = await createConsumerApp(
      new LocalTransport({ bus, log }),
      controllerOf(topics.jobs, (messages) => void calls.push(messages.length)),
    );
    await app.listen();
    for (let i = 0; i < 10; i += 1) bus.announce([outboxRecord(topics.jobs)]);
    expect(calls).toEqual([]);
    await eventually(() => calls.length > 0);
    expect(calls).toEqual([10]);
    await app.close();
  });

  it('never throws at the announcer, not even for a body that is no JSON', async () => {
    const bus = new LocalBus();
    const seen: string[] = [];
    const app = await createConsumerApp(
      new LocalTransport({ bus, log }),
      controllerOf(topics.jobs, (messages) => void seen.push(...messages.map(({ id }) => id))),
    );
    await app.listen();
    const good = outboxRecord(topics.jobs);
    bus.announce([outboxRecord(topics.jobs, { body: '{' }), good]);
    await eventually(() => seen.length > 0);
    expect(seen).toEqual([good.eventId]);
    await app.close();
  });

  it('delivers the topics independently: a handler that hangs holds up no other topic', async () => {
    const bus = new LocalBus();
    const hanging = gate();
    const events: string[] = [];
    const app = await createConsumerApp(
      new LocalTransport({ bus, log }),
      controllerOf(topics.jobs, () => hanging.passed),
      controllerOf(topics.events, (messages) => void events.push(...messages.map(({ id }) => id))),
    );
    await app.listen();
    bus.announce([outboxRecord(topics.jobs), outboxRecord(topics.events)]);
    await eventually(() => events.length === 1);
    hanging.open();
    await app.close();
  });

  it('gives a batch up that keeps failing, and goes on with the next', async () => {
    const bus = new LocalBus();
    const poison = outboxRecord(topics.jobs);
    const good = outboxRecord(topics.jobs);
    let poisonCalls = 0;
    const seen: string[] = [];
    const app = await createConsumerApp(
      new LocalTransport({ bus, log }),
      controllerOf(topics.jobs, async (messages) => {
        if (messages.some(({ id }) => id === poison.eventId)) {
          poisonCalls += 1;
          throw new Error('always');
        }
        seen.push(...messages.map(({ id }) => id));
      }),
    );
    await app.listen();
    bus.announce([poison]);
    await eventually(() => poisonCalls > 0);
    bus.announce([good]);
    await eventually(() => seen.includes(good.eventId), { withinMs: 10_000 });
    expect(poisonCalls).toBe(6);
    await app.close();
  });
});
