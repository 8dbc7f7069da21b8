import { EventEmitter } from 'node:events';
import { keyInUse } from './refusals.js';
import { type Client, TakeTurns } from './take-turns.js';

class FakeClient extends EventEmitter {
  destroyed = false;

  leave(): void {
    this.destroyed = true;
    this.emit('close');
  }

  get asClient(): Client {
    return this as unknown as Client;
  }
}

/** Work that goes on until it is told. */
function held(): { readonly work: () => Promise<string>; readonly end: (error?: Error) => void } {
  let settle: { resolve: (text: string) => void; reject: (error: Error) => void } | undefined;
  const ending = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    work: () => ending,
    end: (error) => (error === undefined ? settle?.resolve('first') : settle?.reject(error)),
  };
}

const client = () => new FakeClient();
const inUse = { code: 'idempotency_key_in_use' };

describe('TakeTurns', () => {
  it('lets one go at a time, in order, and tells those after it that they waited', async () => {
    const turns = new TakeTurns();
    let running = 0;
    const log: string[] = [];
    const work = (name: string) => async (hasWaited: boolean) => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      log.push(`${name} ${hasWaited ? 'waited' : 'led'}`);
    };
    await Promise.all(['a', 'b', 'c'].map((name) => turns.run('k', client().asClient, work(name))));
    expect(log).toEqual(['a led', 'b waited', 'c waited']);
    await turns.run('k', client().asClient, work('d'));
    expect(log.at(-1)).toBe('d led');
  });

  it('lets other keys go meanwhile', async () => {
    const turns = new TakeTurns();
    const first = held();
    const leading = turns.run('k', client().asClient, first.work);
    expect(await turns.run('other', client().asClient, async () => 'other')).toBe('other');
    first.end();
    expect(await leading).toBe('first');
  });

  it('tells all who wait as soon as another process was found to use the key (contract 1.8)', async () => {
    const turns = new TakeTurns();
    const first = held();
    const leading = turns.run('k', client().asClient, first.work);
    const waiting = ['a', 'b'].map((text) => turns.run('k', client().asClient, async () => text));
    first.end(keyInUse());
    for (const outcome of [leading, ...waiting]) await expect(outcome).rejects.toMatchObject(inUse);
    expect(await turns.run('k', client().asClient, async () => 'later')).toBe('later');
  });

  it('lets the next one go when one fails', async () => {
    const turns = new TakeTurns();
    const first = held();
    const leading = turns.run('k', client().asClient, first.work);
    const following = turns.run('k', client().asClient, async (hasWaited) => hasWaited);
    first.end(new Error('lost'));
    await expect(leading).rejects.toThrow('lost');
    expect(await following).toBe(true);
  });

  it('tells one that waited for the longest time that its key is in use', async () => {
    const turns = new TakeTurns(20);
    const first = held();
    const leading = turns.run('k', client().asClient, first.work);
    await expect(turns.run('k', client().asClient, async () => 'never')).rejects.toMatchObject(inUse);
    first.end();
    await leading;
  });

  it('drops one whose client has left', async () => {
    const turns = new TakeTurns();
    const first = held();
    const leading = turns.run('k', client().asClient, first.work);
    const leaver = client();
    let hasRun = false;
    const left = turns.run('k', leaver.asClient, async () => {
      hasRun = true;
    });
    const last = turns.run('k', client().asClient, async () => 'last');
    leaver.leave();
    await expect(left).rejects.toMatchObject(inUse);
    expect(leaver.listenerCount('close')).toBe(0);
    await expect(turns.run('k', leaver.asClient, async () => 'never')).rejects.toMatchObject(inUse);
    first.end();
    await leading;
    expect(await last).toBe('last');
    expect(hasRun).toBe(false);
  });

  it('keeps no more than a thousand waiting for one key', async () => {
    const turns = new TakeTurns();
    const first = held();
    const leading = turns.run('k', client().asClient, first.work);
    const waiting = Array.from({ length: 1_000 }, () => turns.run('k', client().asClient, async () => 'waited'));
    await expect(turns.run('k', client().asClient, async () => 'never')).rejects.toMatchObject(inUse);
    first.end();
    await leading;
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['waited']));
  });
});
