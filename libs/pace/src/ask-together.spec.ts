import { AskTogether } from './ask-together.js';

describe('AskTogether', () => {
  it('asks what comes in one turn in one go, at most so many, and what comes meanwhile in the next', async () => {
    const asked: (readonly number[])[] = [];
    const together = new AskTogether<number, number>(
      async (numbers) => {
        asked.push(numbers);
        return numbers.map((number) => -number);
      },
      { mostTogether: 3 },
    );
    const first = [1, 2].map((number) => together.ask(number));
    await new Promise(setImmediate);
    const answers = await Promise.all([...first, ...[3, 4, 5, 6].map((number) => together.ask(number))]);
    expect(answers).toEqual([-1, -2, -3, -4, -5, -6]);
    expect(asked).toEqual([[1, 2], [3, 4, 5], [6]]);
    expect(together.isIdle).toBe(true);
  });

  it('asks who waits beside an asking that is under way for longer than its patience, also when nobody comes after', async () => {
    const asked: (readonly string[])[] = [];
    const together = new AskTogether<string, string>(
      (texts) => {
        asked.push(texts);
        return texts.includes('hangs') ? new Promise(() => undefined) : Promise.resolve(texts);
      },
      { patienceMs: 5 },
    );
    void together.ask('hangs');
    await new Promise(setImmediate);
    const began = performance.now();
    expect(await Promise.all([together.ask('one'), together.ask('two')])).toEqual(['one', 'two']);
    expect(performance.now() - began).toBeGreaterThan(4);
    expect(asked).toEqual([['hangs'], ['one', 'two']]);
    expect(await together.ask('at once, for the patience is over')).toBe('at once, for the patience is over');
  });

  it('fails those that were asked together, and goes on with the others', async () => {
    let calls = 0;
    const together = new AskTogether<number, number>(async (numbers) => {
      calls += 1;
      if (calls === 1) throw new Error('lost');
      return numbers;
    });
    const first = together.ask(1);
    await new Promise(setImmediate);
    const results = await Promise.allSettled([first, together.ask(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});
