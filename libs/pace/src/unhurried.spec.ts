import { unhurried } from './unhurried.js';

const never = new AbortController().signal;

describe('unhurried work', () => {
  it('is followed by a rest of three times what it took, also when it fails', async () => {
    for (const end of [() => 'done', () => Promise.reject(new Error('failed'))]) {
      const beganAt = performance.now();
      const work = async (): Promise<string> => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return end();
      };
      await unhurried(work, never).catch(() => undefined);
      expect(performance.now() - beganAt).toBeGreaterThan(4 * 20 - 5);
    }
  });

  it('gives what it came to, and rests no longer once it is told to stop', async () => {
    const stopping = new AbortController();
    const beganAt = performance.now();
    const work = async (): Promise<number> => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      stopping.abort();
      return 42;
    };
    expect(await unhurried(work, stopping.signal)).toBe(42);
    expect(performance.now() - beganAt).toBeLessThan(4 * 300);
  });
});
