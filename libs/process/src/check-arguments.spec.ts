import { checkArguments } from './check-arguments.js';

const worker = { usage: 'npm run start:worker', about: 'Does jobs.' };

describe('the arguments of a process', () => {
  it('start it when there are none', () => {
    expect(checkArguments(worker, [])).toEqual({ kind: 'start' });
  });

  it.each(['--help', '-h'])('say with %s what it is and where its settings are', (option) => {
    const { kind, answer } = checkArguments(worker, [option]) as { kind: string; answer: string };
    expect(kind).toBe('help');
    expect(answer).toMatch(/^Does jobs\.\n\n {2}npm run start:worker\n\n.*docs\/settings\.md/);
  });

  it.each([
    [['--port', '3000'], /^Unknown option '--port'.*environment/],
    [['--help=yes'], /--help/],
    [['3000'], /^Unexpected argument '3000'.*environment/],
  ])('are refused when they are %j', (args, answer) => {
    expect(checkArguments(worker, args)).toEqual({ kind: 'refused', answer: expect.stringMatching(answer) });
  });
});
