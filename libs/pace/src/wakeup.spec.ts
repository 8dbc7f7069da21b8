import { Wakeup } from './wakeup.js';

describe('a wake-up', () => {
  it('ends the sleep under way', async () => {
    const wakeup = new Wakeup();
    const sleep = wakeup.sleep(60_000);
    wakeup.signal();
    await sleep;
  });

  it('given while nobody sleeps ends the next sleep, and only that one', async () => {
    const wakeup = new Wakeup();
    wakeup.signal();
    wakeup.signal();
    await wakeup.sleep(60_000);
    const startedAt = performance.now();
    await wakeup.sleep(30);
    expect(performance.now() - startedAt).toBeGreaterThan(20);
  });
});
