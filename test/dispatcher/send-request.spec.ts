import { AddressAllowList, AddressGuard } from '#libs/domain';
import { GuardedAgent, type ResolveHost } from '#libs/egress';
import type { DeliveryClaimRequest } from '#libs/persistence';
import { Dispatcher } from '../../apps/dispatcher/src/deliver-webhook/dispatcher.js';
import { EndpointPace } from '../../apps/dispatcher/src/deliver-webhook/endpoint-pace.js';
import { SendRequest, type SendLimits } from '../../apps/dispatcher/src/send-request/send-request.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const guard = new AddressGuard(AddressAllowList.parse(['127.0.0.0/8']));

let receiver: WebhookReceiver;
let agent: GuardedAgent;

beforeEach(async () => {
  receiver = await WebhookReceiver.open();
});

afterEach(async () => {
  await agent.destroy();
  await receiver.close();
});

function limits(changes: Partial<SendLimits> = {}): SendLimits {
  return {
    timeoutMs: 5_000,
    leaseEndsAtMs: performance.now() + 20_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

function sender(resolve: ResolveHost = async () => [{ address: '127.0.0.1', family: 4 }]): SendRequest {
  agent = new GuardedAgent({ guard, resolve });
  return new SendRequest(agent, guard);
}

const request = (url: string) => ({ url, headers: { 'webhook-id': 'evt_1' }, body: Buffer.from('{}') });

describe('a request', () => {
  it('is not sent when its lease has ended before', async () => {
    const result = await sender().send(request(receiver.url), limits({ leaseEndsAtMs: performance.now() }));
    expect(result).toMatchObject({ kind: 'failed', outcome: 'lease_lost' });
    expect(receiver.received()).toEqual([]);
  });

  it('is never written when its lease ends while it connects', async () => {
    let release: () => void = () => undefined;
    const resolving = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow: ResolveHost = async () => {
      await resolving;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const sending = sender(slow);
    const url = `http://receiver.test:${receiver.port}/`;
    const result = await sending.send(request(url), limits({ leaseEndsAtMs: performance.now() + 100 }));
    expect(result).toMatchObject({ kind: 'failed', outcome: 'lease_lost' });
    release();
    expect(await sending.send(request(`${url}later`), limits())).toMatchObject({ kind: 'answered', statusCode: 200 });
    expect(receiver.received().map(({ path }) => path)).toEqual(['/later']);
  });

  it('is never written when the process wakes up after the end of its lease, before its timer runs', async () => {
    const asleep: ResolveHost = async () => {
      const wakesAt = performance.now() + 300;
      while (performance.now() < wakesAt);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const url = `http://receiver.test:${receiver.port}/`;
    const sending = sender(asleep);
    const result = await sending.send(request(url), limits({ leaseEndsAtMs: performance.now() + 100 }));
    expect(result).toMatchObject({ kind: 'failed', outcome: 'lease_lost' });
    expect(receiver.received()).toEqual([]);
  });

  it('is aborted when its lease ends before its answer', async () => {
    receiver.respond(['hang']);
    const result = await sender().send(request(receiver.url), limits({ leaseEndsAtMs: performance.now() + 200 }));
    expect(result).toMatchObject({ kind: 'failed', outcome: 'lease_lost' });
    expect(receiver.received()).toHaveLength(1);
  });

  it('is cut off by the signal, and not sent after it', async () => {
    receiver.respond(['hang']);
    const shutdown = new AbortController();
    const sending = sender();
    const result = sending.send(request(receiver.url), limits({ signal: shutdown.signal }));
    await eventually(() => receiver.received().length === 1);
    shutdown.abort();
    expect(await result).toEqual({ kind: 'cut_off' });
    expect(await sending.send(request(receiver.url), limits({ signal: shutdown.signal }))).toEqual({ kind: 'cut_off' });
    expect(receiver.received()).toHaveLength(1);
  });

  it('is answered by the status alone when the body never ends', async () => {
    receiver.respond([{ status: 202, headers: { 'content-length': '100' }, body: 'begun' }]);
    const result = await sender().send(request(receiver.url), limits({ timeoutMs: 300 }));
    expect(result).toMatchObject({ kind: 'answered', statusCode: 202, body: 'begun' });
  });

  it('goes over the kept connection of the one before', async () => {
    let asked = 0;
    const sending = sender(async () => {
      asked += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    });
    const url = `http://receiver.test:${receiver.port}/`;
    for (let index = 0; index < 5; index += 1) await sending.send(request(url), limits());
    expect(asked).toBeLessThan(5);
    expect(receiver.received()).toHaveLength(5);
  });
});

describe('a dispatcher', () => {
  it('claims with a lease that outlasts the longest request', async () => {
    let dispatcher: Dispatcher | undefined;
    const request = await new Promise<DeliveryClaimRequest>((resolve) => {
      dispatcher = new Dispatcher({
        claim: async (asked) => {
          resolve(asked);
          return { deliveries: [], resumeAfter: null, isHeldBack: false, isContended: false };
        },
        deliver: async () => undefined,
        pace: new EndpointPace(),
        slots: 1,
        timeoutMs: 15_000,
        pollMs: 100,
        graceMs: 1_000,
        close: async () => undefined,
        log: undefined as never,
      });
      dispatcher.start();
    });
    await dispatcher?.stop();
    expect(request).toMatchObject({ limit: 1, leaseMs: 30_000 });
  });
});
