import { Loop, type LoopOptions } from './loop.js';

function looped(everyMs: number, step: LoopOptions['step']) {
  const errors: number[] = [];
  const loop = new Loop({ everyMs, step, onError: (_, failures) => errors.push(failures) });
  return { loop, errors };
}

describe('a loop', () => {
  it('goes on after an error, counts the failures in a row and begins again at a success', async () => {
    let steps = 0;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const { loop, errors } = looped(1, async () => {
      steps += 1;
      if (steps === 6) finish();
      if ([1, 2, 4].includes(steps)) throw new Error('outage');
    });
    loop.start();
    await finished;
    await loop.stop();
    expect(errors).toEqual([1, 2, 1]);
  });

  it('stops after the step under way, which is told', async () => {
    let ended = 0;
    let begun: () => void = () => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const { loop } = looped(1, async (signal) => {
      begun();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended += 1;
    });
    loop.start();
    await isBegun;
    await loop.stop();
    expect(ended).toBe(1);
  });

  it('that waits is stopped at once', async () => {
    const { loop, errors } = looped(60_000, async () => undefined);
    loop.start();
    await loop.stop();
    expect(errors).toEqual([]);
  });

  it('takes the next step at once when it is woken, also while a step is under way, and when a step asks for it', async () => {
    let steps = 0;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const { loop } = looped(60_000, async (): Promise<'again' | void> => {
      steps += 1;
      if (steps === 1) return 'again';
      if (steps === 2) loop.wake();
      else finish();
    });
    loop.start();
    await finished;
    await loop.stop();
    expect(steps).toBe(3);
  });

  it('that was never started can be stopped', async () => {
    await looped(1, async () => undefined).loop.stop();
  });
});
