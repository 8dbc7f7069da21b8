import { parseOptions, partNames } from './options.js';

describe('parseOptions', () => {
  it('runs every part when nothing is said', () => {
    expect(parseOptions([])).toEqual({
      kind: 'run',
      options: { parts: partNames, pairs: 5, measuredMs: 3_000, rows: 1_000_000, jobs: 200 },
    });
  });

  it('runs one part alone, as long and as often as is said', () => {
    expect(parseOptions(['--only', 'flood', '--pairs', '2', '--seconds', '1'])).toMatchObject({
      kind: 'run',
      options: { parts: ['flood'], pairs: 2, measuredMs: 1_000 },
    });
  });

  it('tells of every part in its help', () => {
    const parsed = parseOptions(['--help']);
    for (const part of partNames) expect(parsed).toMatchObject({ text: expect.stringMatching(`\n  ${part} `) });
  });

  it.each([
    [['--only', 'churn'], '--only: unknown part churn'],
    [['--pairs', '0'], '--pairs must be a whole number'],
    [['--rows', '1e6'], '--rows must be a whole number'],
    [['--loud'], "Unknown option '--loud'"],
  ])('refuses %j and names the option', (args, problem) => {
    expect(parseOptions(args)).toMatchObject({ kind: 'refused', problem: expect.stringContaining(problem) });
  });
});
