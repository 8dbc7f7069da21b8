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

  it('lets nobody wait longer than the patience for an asking that hangs, and who comes later not at all', async () => {
    const asked: (readonly string[])[] = [];
    const together = new AskTogether<string, string>(
      (texts) => {
        asked.push(texts);
        return texts.includes('hangs') ? new Promise(() => undefined) : Promise.resolve(texts);
      },
      { patienceMs: 20 },
    );
    void together.ask('hangs');
    await new Promise(setImmediate);
    expect(await Promise.all([together.ask('one'), together.ask('two')])).toEqual(['one', 'two']);
    const later = together.ask('later');
    await new Promise(setImmediate);
    expect(asked).toEqual([['hangs'], ['one', 'two'], ['later']]);
    expect(await later).toBe('later');
    expect(together.isIdle).toBe(false);
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
