import { randomBytes } from 'node:crypto';
import { webhookHeaders, webhookSecret } from '#libs/domain';
import type { Inbox } from './inbox/inbox.js';
import { MemoryInbox } from './inbox/memory-inbox.js';
import { receive, type Receiving } from './receive.js';

const nowMs = 1_796_036_497_400;
const secret = webhookSecret(randomBytes);

function receiving(changes: Partial<Receiving<undefined>> = {}, id = 'evt_1') {
  const rawBody = JSON.stringify({ id, type: 'webhook.ping', timestamp: '2026-11-30T11:01:37.135Z', data: {} });
  const headers = webhookHeaders({ id, timestamp: Math.floor(nowMs / 1000), body: rawBody }, [secret]);
  return {
    headers,
    rawBody,
    secrets: secret,
    nowMs,
    inbox: new MemoryInbox(),
    handle: async () => undefined,
    ...changes,
  };
}

describe('receive', () => {
  it('answers 204 to an event that it handled and to one that it has seen before, and handles it once', async () => {
    const handled: string[] = [];
    const request = receiving({ handle: async ({ id }) => void handled.push(id) });
    expect(await receive(request)).toMatchObject({ outcome: 'handled', status: 204, event: { id: 'evt_1' } });
    expect(await receive(request)).toMatchObject({ outcome: 'seen_before', status: 204, event: { id: 'evt_1' } });
    expect(handled).toEqual(['evt_1']);
  });

  it('answers 400 or 401 to a request that is not right, and lets it burn no id', async () => {
    const inbox = new MemoryInbox();
    const forged = receiving({ inbox, secrets: webhookSecret(randomBytes) });
    expect(await receive(forged)).toMatchObject({ outcome: 'refused', status: 401 });
    const stale = receiving({ inbox, nowMs: nowMs + 3_600_000 });
    expect(await receive(stale)).toMatchObject({ status: 400, error: { reason: 'timestamp_too_old' } });
    expect(await receive(receiving({ inbox }))).toMatchObject({ outcome: 'handled' });
  });

  it('answers 500 when the handler threw, at once too, and handles the event when it comes again', async () => {
    const error = new Error('the shop is closed');
    const inbox = new MemoryInbox();
    const throwing = [
      async () => Promise.reject(error),
      () => {
        throw error;
      },
    ];
    for (const handle of throwing)
      expect(await receive(receiving({ inbox, handle }))).toMatchObject({ outcome: 'failed', status: 500, error });
    expect(await receive(receiving({ inbox }))).toMatchObject({ outcome: 'handled' });
  });

  it('answers 500 when the inbox cannot be reached and 503 when another request has the event', async () => {
    const unreachable: Inbox<undefined> = { handleOnce: async () => Promise.reject(new Error('ECONNREFUSED')) };
    const busy: Inbox<undefined> = { handleOnce: async () => 'busy' };
    expect(await receive(receiving({ inbox: unreachable }))).toMatchObject({ outcome: 'failed', status: 500 });
    expect(await receive(receiving({ inbox: busy }))).toMatchObject({ outcome: 'busy', status: 503 });
  });

  it('rejects at a mistake of the program instead of blaming the request', async () => {
    await expect(receive(receiving({ secrets: '' }))).rejects.toThrow(TypeError);
    await expect(receive(receiving({ rawBody: {} as string }))).rejects.toThrow(TypeError);
  });
});

describe('MemoryInbox', () => {
  it('has one effect for calls at once; the others wait, and the next one tries when it fails', async () => {
    const inbox = new MemoryInbox();
    let calls = 0;
    const effect = async () => {
      calls += 1;
      await Promise.resolve();
      if (calls === 1) throw new Error('first');
    };
    const ends = await Promise.allSettled(Array.from({ length: 5 }, () => inbox.handleOnce('evt_1', effect)));
    expect(calls).toBe(2);
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : 'failed')).sort()).toEqual([
      'failed',
      'handled',
      'seen_before',
      'seen_before',
      'seen_before',
    ]);
  });
});
