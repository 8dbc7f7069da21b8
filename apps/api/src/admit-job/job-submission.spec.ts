import { RequestRefused } from '#libs/contract';
import { operations } from '#libs/pdf';
import { checkInputs } from './check-inputs.js';
import { chooseJob } from './choose-job.js';
import { multipartSubmission } from './job-submission.js';

function read(...fields: readonly (readonly [field: string, text: string])[]) {
  return chooseJob(multipartSubmission(fields.map(([field, text]) => ({ kind: 'text', field, text }))).read());
}

function chooseFrom(json: unknown) {
  return chooseJob({ json, problems: [] });
}

function choose(operation: string, options: Readonly<Record<string, unknown>>, inputs = 1) {
  return chooseFrom({ operation, options, inputs: Array.from({ length: inputs }, (_, part) => ({ part })) });
}

describe('a multipart submission', () => {
  it('with a field that is not JSON names the field', () => {
    const fields = [['operation', 'merge'] as const, ['options', '{by'] as const, ['inputs', '[{"part":0}]'] as const];
    expect(() => read(...fields)).toThrow(/^\/options: the field options is not JSON: [^;]*$/);
  });

  it('with an unknown field says which there are', () => {
    expect(() => read(['colour', 'red'])).toThrow(
      '/colour: unknown field; there are operation, options, metadata, inputs, files',
    );
  });

  it('with several fields at fault is told of all, in their order, and not of what they would have said', () => {
    const fields = [
      ['inputs', '['],
      ['options', '{"outline":"deep"}'],
      ['x'.repeat(200), ''],
      ['operation', 'merge'],
    ];
    expect(problemsIn(() => read(...(fields as [string, string][]), ['options', '{}']))).toEqual([
      '/inputs: the field inputs is not JSON: Unexpected end of JSON input',
      '/options: the field was sent twice',
      `/${'x'.repeat(100)}: unknown field; there are operation, options, metadata, inputs, files`,
    ]);
    expect(problemsIn(() => read(['metadata', '[]'], ['operation', 'split'], ['inputs', 'null']))).toEqual([
      '/metadata: must be an object, not an array',
      '/inputs: must be an array, not null',
    ]);
  });
});

function problemsIn(choosing: () => unknown): readonly string[] {
  try {
    choosing();
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    return (error.extra.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`);
  }
  throw new Error('it was not refused');
}

describe('everything that a request itself shows to be wrong', () => {
  const starts = (...texts: readonly string[]): unknown[] =>
    texts.map((text): unknown => expect.stringMatching(new RegExp(`^${text}`)));

  it('is told of at once, in the order of the request', () => {
    const inputs = [{ part: 0, pages: '0' }, { url: 'x', pages: '0', password: '' }, 7];
    const json = { metadata: { a: 1 }, inputs, operation: 'merge', colour: 1, options: { flatten: 1, outline: 2 } };
    expect(problemsIn(() => chooseFrom(json))).toEqual(
      starts(
        ...[
          '/metadata/a: must be',
          '/inputs/0/pages: "0" is no',
          '/inputs/1/url: must be',
          '/inputs/1/pages: "0" is no',
        ],
        ...['/inputs/1/password: must', '/inputs/2: must be an object', '/colour: unknown', '/options/flatten: must'],
        '/options/outline: must',
      ),
    );
  });

  it('has what is missing at the end of what it is missing from', () => {
    const json = { options: { by: 'ranges' }, inputs: [{ part: 0 }, { part: 1 }], operation: 'split', metadata: 1 };
    expect(problemsIn(() => chooseFrom(json))).toEqual(
      starts('/options/ranges: is required', '/inputs: split takes at most one', '/metadata: must be'),
    );
    expect(problemsIn(() => chooseFrom({ options: {}, metadata: 1 }))).toEqual(
      starts('/metadata: must be', '/operation: is required', '/inputs: is required'),
    );
  });

  it('is told of once, the unknown operation beside wrong fields', () => {
    expect(problemsIn(() => chooseFrom({ operation: 'shred', inputs: [] }))).toEqual(
      starts('/operation: unknown operation', '/inputs: must have at least 1 entry'),
    );
    expect(problemsIn(() => chooseFrom({ operation: 'rotate', options: null, inputs: {} }))).toEqual(
      starts('/options: must be an object', '/inputs: must be an array'),
    );
    expect(problemsIn(() => chooseFrom([]))).toEqual([': must be an object, not an array']);
  });
});

describe('the operation of a submission', () => {
  it('with ranges and without by says that by is missing', () => {
    expect(() => choose('split', { ranges: ['1'] })).toThrow('/options/ranges: "by" is missing');
  });

  it('with an option that it does not have says which there are', () => {
    expect(() => choose('merge', { quality: 9 })).toThrow(
      '/options/quality: unknown field; there are outline, flatten',
    );
  });

  it('with too many inputs says how many it takes', () => {
    expect(() => choose('split', { by: 'pages' }, 2)).toThrow('/inputs: split takes at most one input, not 2');
  });
});

describe('the pages of an input', () => {
  const merge = (...pages: readonly (string | undefined)[]) => ({
    operation: 'merge',
    inputs: pages.map((selection, part) => ({ part, pages: selection })),
    options: {},
    metadata: {},
  });

  it.each(['3', '1-3', '4-', '-1', '1-3,5,-1', '3-1, 2'])('may be %s', (pages) => {
    expect(chooseFrom(merge(pages)).operation.name).toBe('merge');
  });

  it.each(['', '0', '1..3', '1-3;5', 'odd'])('that are %j are refused with what a selection looks like', (pages) => {
    expect(() => chooseFrom(merge(undefined, pages))).toThrow(
      `/inputs/1/pages: ${JSON.stringify(pages)} is no selection of pages: write 3, 1-3, 4- (to the end) or -1 (the last)`,
    );
  });

  it('are all named that are at fault, and shown in part when they are long', () => {
    const long = 'x'.repeat(1_000);
    expect(() => chooseFrom(merge(long, '1', '0'))).toThrow(
      new RegExp(`^/inputs/0/pages: "x{100}\\.\\.\\." is no .*; /inputs/2/pages: "0" is no `),
    );
  });

  it('are refused by an operation whose option says which pages', () => {
    const inputs = [{ part: 0, pages: '1' }];
    expect(() => chooseFrom({ operation: 'split', inputs, options: {}, metadata: {} })).toThrow(
      '/inputs/0/pages: split takes no pages of an input: its option ranges says which',
    );
  });
});

describe('inputs that options name', () => {
  const stamp = { ...operations.merge, checkInputs: (options: unknown, count: number) => refusalOf(options, count) };
  const refusalOf = (options: unknown, count: number) =>
    (options as { image: number }).image < count ? null : { path: '/options/image', message: 'names no input' };

  it('are checked by the operation, beside the pages (contract 6.1)', () => {
    expect(checkInputs(stamp, { image: 1 }, [{ part: 0 }, { part: 1 }])).toEqual([]);
    expect(checkInputs(stamp, { image: 1 }, [{ part: 0, pages: '0' }])).toEqual([
      { pointer: '/inputs/0/pages', detail: expect.stringContaining('is no selection') },
      { pointer: '/options/image', detail: 'names no input' },
    ]);
  });
});
