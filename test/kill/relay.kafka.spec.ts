import type { JobView } from '#libs/domain';
import { eventually } from '../support/eventually.js';
import { type KafkaBroker, startKafkaBroker } from '../support/kafka-broker.js';
import { Killable, type Party } from './killable.js';

const point = 'relay.after-publish';
const timeoutMs = 90_000;
/** A claim of a relay that died lapses after 10 s. */
const againWithinMs = 20_000;

describe('a relay that is killed after Kafka has its record and before the record is marked', () => {
  let broker: KafkaBroker;
  let killable: Killable;

  beforeAll(async () => {
    broker = await startKafkaBroker();
    // The relay of the process that wrote a record is told of it; the others look for it so seldom that they are no match.
    killable = await Killable.start({ brokers: broker.brokers, env: { POLL_INTERVAL: '3s' } });
  }, 120_000);

  afterAll(async () => {
    await killable?.stop();
    await broker?.stop();
  }, timeoutMs);

  /** Arms the process and submits jobs until it is that process that publishes one of their records. */
  async function dieAtRelay(name: string, party: () => Promise<Party>): Promise<{ party: Party; key: string }[]> {
    const submitted: { party: Party; key: string }[] = [];
    await killable.cluster.startAgain(name, `${point}:kill`);
    const process = killable.cluster.process(name);
    while (process.end === undefined && submitted.length < 5) {
      const next = { party: await party(), key: `${name}-${submitted.length}` };
      submitted.push(next);
      await killable.submit(next.party, next.key);
      await eventually(() => process.end !== undefined, { withinMs: 5_000 }).catch(() => undefined);
    }
    await killable.died(name, point);
    await killable.cluster.startAgain(name);
    return submitted;
  }

  it.each([
    ['api-1', 'jobs'],
    ['worker-1', 'events'],
  ] as const)(
    'in %s publishes the record of the %s topic again, under the same id; all else happens once',
    async (name, topic) => {
      const submitted = await dieAtRelay(name, () => killable.newParty());
      for (const { party, key } of submitted) {
        const retried = await killable.retry(() => killable.submit(party, key));
        await killable.keepsPromise(party, key, retried);
      }
      const last = submitted.at(-1);
      const [job] = (await last?.party.client.list<JobView>('/v1/jobs')) ?? [];
      const ids = await eventually(
        () => {
          const seen = killable.idsOnTopic(topic, job?.id ?? '');
          return seen.length > 1 ? seen : undefined;
        },
        { withinMs: againWithinMs, everyMs: 100, describe: 'the record again' },
      );
      expect(new Set(ids).size).toBe(1);
      expect((await last?.party.client.usage())?.total.jobs).toBe(1);
      expect((await last?.party.client.job(job?.id ?? ''))?.attempt).toBe(1);
    },
    timeoutMs,
  );

  it(
    'in dispatcher-1 tells of a disabled endpoint again, under the same id',
    async () => {
      killable.receiver.respond(({ path }) => (path === '/gone' ? 410 : 200));
      const watching = await killable.newParty();
      let id = '';
      // Another relay may be first to find the record of one, and an endpoint is disabled once.
      await dieAtRelay('dispatcher-1', async () => {
        const endpoint = await watching.client.createEndpoint({
          url: `${killable.receiver.url}gone`,
          event_types: ['job.*'],
        });
        id = endpoint.json<{ id: string }>().id;
        return watching;
      });
      const ids = await eventually(
        () => {
          const seen = killable.idsOnTopic('events', id);
          return seen.length > 1 ? seen : undefined;
        },
        { withinMs: againWithinMs, everyMs: 100, describe: 'the record again' },
      );
      expect(new Set(ids).size).toBe(1);
      const told = await eventually(
        () => {
          const requests = killable.receiver.received(({ path, body }) => path === '/' && body.includes(id));
          return requests.length > 0 ? requests : undefined;
        },
        { withinMs: againWithinMs, describe: 'the webhook to the other endpoint' },
      );
      expect(new Set(told?.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
    },
    timeoutMs,
  );
});
