import { parseOptions, partNames } from './options.js';

describe('the options of the bench of documents', () => {
  it('ask for everything when there are none', () => {
    expect(parseOptions([], '/samples')).toEqual({
      kind: 'run',
      options: { parts: partNames, pairs: 5, samples: '/samples' },
    });
  });

  it('name a part, the pairs and the folder of samples', () => {
    expect(parseOptions(['--only', 'merge', '--pairs', '2', '--samples', '/mine'], null)).toEqual({
      kind: 'run',
      options: { parts: ['merge'], pairs: 2, samples: '/mine' },
    });
  });

  it.each([
    [['--only', 'all'], '--only: unknown part all'],
    [['--pairs', '0'], '--pairs must be a whole number'],
    [['--nothing'], '--nothing'],
  ])('are refused by name: %j', (args, problem) => {
    expect(parseOptions(args, null)).toEqual({ kind: 'refused', problem: expect.stringContaining(problem) });
  });
});
