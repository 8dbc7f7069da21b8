import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { admissionsThatWait, type HeldKeys, holdKey } from './held-keys.js';
import { Service, startTimeoutMs } from './service.js';

const route = 'POST /v1/webhook-endpoints';
const many = 200;
/** Measured in turns: what else the machine does weighs on both halves. */
const pairs = 9;
/** Admissions while the last of a flood come in. */
const arriving = 10;

describe('a flood of requests with one idempotency key (contract 1.8)', () => {
  const rule = (title: string, check: () => Promise<void>) => it(title, check, 60_000);
  let service: Service;
  let client: ApiClient;
  let held: HeldKeys | undefined;

  beforeAll(async () => {
    service = await Service.start({ apis: 1, workers: 0, dispatchers: 0 });
  }, startTimeoutMs);

  afterAll(() => service?.stop(), 30_000);

  beforeEach(async () => {
    client = await service.newAccount();
  });

  afterEach(async () => {
    await held?.release();
    held = undefined;
  });

  const create = (key: string, description = '') =>
    client.createEndpoint({ url: service.receiver.url, description }, { key });
  const flood = (description: (index: number) => string = () => '') =>
    Promise.all(Array.from({ length: many }, (_, index) => create('flooded', description(index))));

  rule(
    'takes one connection while the key is held elsewhere, and is told within the bound that it is in use',
    async () => {
      held = await holdKey(service, client, route, 'flooded');
      const begunAt = performance.now();
      const answers = flood();
      await eventually(async () => (await admissionsThatWait(service)) > 0, { withinMs: 2_000 });
      for (let index = 0; index < 10; index += 1) {
        expect((await create(`other-${index}`)).status).toBe(201);
        expect(await admissionsThatWait(service)).toBeLessThanOrEqual(1);
      }
      for (const answer of await answers) {
        expect(`${answer.status} ${codeOf(answer)}`).toBe('409 idempotency_key_in_use');
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      expect(performance.now() - begunAt).toBeLessThan(5_000);
      await held.release();
      expect((await create('flooded')).status).toBe(201);
    },
  );

  rule('makes one thing when the key becomes free, and each other payload is a conflict', async () => {
    held = await holdKey(service, client, route, 'flooded');
    const answers = flood((index) => (index % 2 === 0 ? 'even' : 'odd'));
    await eventually(async () => (await admissionsThatWait(service)) === 1, { withinMs: 1_500 });
    await held.release();
    const settled = await answers;
    const accepted = settled.filter(({ status }) => status === 201);
    expect(accepted).toHaveLength(many / 2);
    expect(new Set(accepted.map((answer) => answer.json()['id'])).size).toBe(1);
    expect(accepted.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const refused = settled.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(codeOf))).toEqual(new Set(['idempotency_key_reused']));
    expect(await client.list('/v1/webhook-endpoints')).toHaveLength(1);
  });

  rule('leaves the time that another key takes as it is', async () => {
    const ratios: number[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const halves = { quiet: medianMs, flooded: () => flooding(medianMs) };
      const inTurn = pair % 2 === 0 ? (['quiet', 'flooded'] as const) : (['flooded', 'quiet'] as const);
      const times = { quiet: 0, flooded: 0 };
      for (const half of inTurn) {
        client = await service.newAccount();
        times[half] = await halves[half]();
      }
      ratios.push(times.flooded / times.quiet);
    }
    expect(median(ratios)).toBeLessThan(1.5);
  });

  /** Does something while many wait for one key. */
  async function flooding<T>(work: () => Promise<T>): Promise<T> {
    held = await holdKey(service, client, route, 'flooded');
    const answers = flood();
    await eventually(async () => (await admissionsThatWait(service)) === 1, { withinMs: 2_000 });
    const done = await work();
    await held.release();
    await answers;
    return done;
  }

  /** Half of 20 admissions, one after another, take this long or less; those before them, in which a flood is still being sent, do not count. */
  async function medianMs(): Promise<number> {
    const durations: number[] = [];
    for (let index = 0; index < arriving + 20; index += 1) {
      const begunAt = performance.now();
      expect((await create(`lone-${index}`)).status).toBe(201);
      durations.push(performance.now() - begunAt);
    }
    return median(durations.slice(arriving));
  }
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function codeOf(answer: ApiAnswer): string {
  return answer.json<{ code: string }>().code;
}
