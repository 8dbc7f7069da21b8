import { Controller, type INestMicroservice, type Type } from '@nestjs/common';
import {
  EventPattern,
  MessagePattern,
  Payload,
  type CustomTransportStrategy,
  type Server,
} from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import type { InboundMessage, OutboxRecord } from '#libs/messaging';
import { EMPTY } from 'rxjs';
import { eventually } from '../support/eventually.js';

type Messages = readonly InboundMessage[];

/** A transport strategy as an app uses it. */
export type Transport = Server & CustomTransportStrategy & { isConnected(): boolean };

/** A place of its own for one test: a topic nobody else uses, and a way to publish to it. */
export interface TransportBench {
  readonly topic: string;
  /** A new strategy whose handlers may name `topic` only. */
  createTransport(): Transport;
  /** Resolves when the records were handed over. */
  publish(records: readonly OutboxRecord[]): Promise<void>;
}

/** Names and numbers of the rules that a transport has to keep. */
export interface TransportSubject {
  readonly name: string;
  readonly openBench: () => Promise<TransportBench>;
}

const limitMs = 40_000;
let sequence = 0;

/** A record of `topic` with an id of its own. */
export function outboxRecord(topic: string, change: Partial<OutboxRecord> = {}): OutboxRecord {
  sequence += 1;
  const eventId = `evt_${String(sequence).padStart(6, '0')}`;
  return {
    id: String(sequence),
    topic,
    key: `job_${sequence % 7}`,
    eventId,
    type: 'job.submitted',
    occurredAt: '2026-11-30T10:00:00.123Z',
    body: JSON.stringify({ id: eventId, data: { sequence } }),
    ...change,
  };
}

/** A controller with one handler for `topic`. */
export function controllerOf(topic: string, handle: (messages: Messages) => unknown): Type {
  @Controller()
  class TopicConsumer {
    @EventPattern<Record<string, Messages>>(topic)
    consume(@Payload() messages: Messages): unknown {
      return handle(messages);
    }
  }
  return TopicConsumer;
}

/** A Nest microservice that runs the controllers on the transport. */
export async function createConsumerApp(transport: Transport, ...controllers: Type[]): Promise<INestMicroservice> {
  const module = await Test.createTestingModule({ controllers }).compile();
  const app = module.createNestMicroservice({ strategy: transport, logger: false });
  app.useLogger(false);
  return app;
}

/** A promise and the function that resolves it. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** The rules that both transports keep. */
export function describeTransport({ name, openBench }: TransportSubject): void {
  describe(`the ${name} transport`, () => {
    const rule = (title: string, check: () => Promise<void>) => it(title, check, limitMs);
    const apps: INestMicroservice[] = [];
    let bench: TransportBench;

    beforeEach(async () => {
      bench = await openBench();
    }, limitMs);

    afterEach(async () => {
      await Promise.all(apps.splice(0).map((app) => app.close()));
    }, limitMs);

    async function consume(handle: (messages: Messages) => unknown): Promise<INestMicroservice> {
      const transport = bench.createTransport();
      const app = await createConsumerApp(transport, controllerOf(bench.topic, handle));
      apps.push(app);
      await app.listen();
      await eventually(() => transport.isConnected(), { withinMs: 10_000, describe: 'the transport is connected' });
      return app;
    }

    async function refusal(...controllers: Type[]): Promise<string> {
      const app = await createConsumerApp(bench.createTransport(), ...controllers);
      apps.push(app);
      return app.listen().then(
        () => 'it started',
        (error: Error) => error.message,
      );
    }

    function records(count: number): OutboxRecord[] {
      return Array.from({ length: count }, () => outboxRecord(bench.topic));
    }

    async function arrival(seen: ReadonlySet<string>, expected: readonly OutboxRecord[]): Promise<void> {
      await eventually(() => expected.every(({ eventId }) => seen.has(eventId)), {
        withinMs: 10_000,
        describe: `${expected.length} records arrive`,
      });
    }

    rule('hands over id, type, key, instant and the exact JSON value', async () => {
      const seen: InboundMessage[] = [];
      await consume((messages) => void seen.push(...messages));
      const data = { id: 'evt_x', text: 'Zürich ✓ "quoted"', number: 1.5, none: null, list: [1, { a: [] }] };
      const record = outboxRecord(bench.topic, { key: 'job_ü', type: 'job.completed', body: JSON.stringify(data) });
      await bench.publish([record]);
      await eventually(() => seen.length > 0);
      expect(seen[0]).toEqual({
        id: record.eventId,
        type: 'job.completed',
        key: 'job_ü',
        occurredAt: record.occurredAt,
        data,
      });
    });

    rule('hands over every record, many in one call', async () => {
      const seen = new Set<string>();
      let calls = 0;
      await consume((messages) => {
        calls += 1;
        for (const { id } of messages) seen.add(id);
      });
      const sent = records(500);
      await bench.publish(sent);
      await arrival(seen, sent);
      expect(calls).toBeLessThan(100);
    });

    rule('keeps the order of the records of one key', async () => {
      const seen: string[] = [];
      await consume((messages) => void seen.push(...messages.map(({ id }) => id)));
      const sent = Array.from({ length: 50 }, () => outboxRecord(bench.topic, { key: 'job_same' }));
      for (const record of sent) await bench.publish([record]);
      await eventually(() => seen.length >= sent.length, { withinMs: 10_000 });
      expect(seen).toEqual(sent.map(({ eventId }) => eventId));
    });

    rule('never calls the handler of a topic twice at a time', async () => {
      const seen = new Set<string>();
      let running = 0;
      let mostRunning = 0;
      await consume(async (messages) => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        for (const { id } of messages) seen.add(id);
        running -= 1;
      });
      const sent = records(100);
      for (let at = 0; at < sent.length; at += 5) await bench.publish(sent.slice(at, at + 5));
      await arrival(seen, sent);
      expect(mostRunning).toBe(1);
    });

    rule('calls a handler that failed again with the same records, and loses none that came meanwhile', async () => {
      const seen = new Set<string>();
      const failed: string[] = [];
      await consume(async (messages) => {
        if (failed.length < 2) {
          failed.push(messages.map(({ id }) => id).join());
          throw new TypeError('not now');
        }
        for (const { id } of messages) seen.add(id);
      });
      const first = records(1);
      await bench.publish(first);
      await eventually(() => failed.length > 0);
      const second = records(20);
      await bench.publish(second);
      await arrival(seen, [...first, ...second]);
      expect(failed).toEqual([first[0]?.eventId, first[0]?.eventId]);
    });

    rule('counts a call that returns an empty stream as done', async () => {
      const calls: string[][] = [];
      await consume((messages) => {
        calls.push(messages.map(({ id }) => id));
        return EMPTY;
      });
      const [first, second] = [outboxRecord(bench.topic, { key: 'k' }), outboxRecord(bench.topic, { key: 'k' })];
      await bench.publish([first]);
      await eventually(() => calls.length === 1);
      await bench.publish([second]);
      await eventually(() => calls.length === 2);
      expect(calls).toEqual([[first.eventId], [second.eventId]]);
    });

    rule('waits for the running handler when it closes', async () => {
      const started = gate();
      const release = gate();
      let finished = false;
      const app = await consume(async () => {
        started.open();
        await release.passed;
        finished = true;
      });
      await bench.publish(records(1));
      await started.passed;
      const closing = app.close().then(() => finished);
      setTimeout(release.open, 200);
      expect(await closing).toBe(true);
    });

    rule('closes within 6 s while a handler hangs', async () => {
      const started = gate();
      const release = gate();
      const hanging = await consume(() => {
        started.open();
        return release.passed;
      });
      await bench.publish(records(1));
      await started.passed;
      const startedAt = performance.now();
      await hanging.close();
      expect(performance.now() - startedAt).toBeLessThan(6_000);
      release.open();
    });

    rule('closes at once while a handler fails', async () => {
      let calls = 0;
      const failing = await consume(async () => {
        calls += 1;
        throw new Error('not now');
      });
      await bench.publish(records(1));
      await eventually(() => calls >= 2);
      const startedAt = performance.now();
      await failing.close();
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    });

    rule('calls no handler after it closed', async () => {
      let calls = 0;
      const app = await consume(() => void (calls += 1));
      await bench.publish(records(1));
      await eventually(() => calls === 1);
      await app.close();
      await bench.publish(records(5));
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(calls).toBe(1);
    });

    rule('refuses to start with a handler for a topic it does not know', async () => {
      const other = controllerOf('pdfonce.other.v1', () => undefined);
      expect(
        await refusal(
          controllerOf(bench.topic, () => undefined),
          other,
        ),
      ).toContain('unknown topic "pdfonce.other.v1"');
    });

    rule('refuses to start with two handlers for one topic', async () => {
      const [one, two] = [controllerOf(bench.topic, () => undefined), controllerOf(bench.topic, () => undefined)];
      expect(await refusal(one, two)).toContain('more than one handler');
    });

    rule('refuses to start with a handler that would have to reply', async () => {
      @Controller()
      class Replier {
        @MessagePattern(bench.topic)
        reply(): string {
          return 'no';
        }
      }
      expect(await refusal(Replier)).toContain('expects a reply');
    });

    rule('refuses to start without a handler', async () => {
      expect(await refusal()).toContain('no handler');
    });
  });
}
