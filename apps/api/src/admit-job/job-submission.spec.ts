import { operations } from '#libs/pdf';
import { checkInputs } from './check-inputs.js';
import { chooseOperation, multipartSubmission } from './job-submission.js';

function read(fields: Readonly<Record<string, string>>) {
  return multipartSubmission(Object.entries(fields).map(([field, text]) => ({ kind: 'text', field, text }))).read();
}

function choose(operation: string, options: Readonly<Record<string, unknown>>, inputs = 1) {
  const references = Array.from({ length: inputs }, (_, part) => ({ part }));
  return chooseOperation({ operation, options, inputs: references, metadata: {} });
}

describe('a multipart submission', () => {
  it('with a field that is not JSON names the field', () => {
    expect(() => read({ operation: 'merge', options: '{by' })).toThrow(/^\/options: the field options is not JSON: /);
  });

  it('with an unknown field says which there are', () => {
    expect(() => read({ colour: 'red' })).toThrow(
      '/colour: unknown field; there are operation, options, metadata, inputs, files',
    );
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
    expect(chooseOperation(merge(pages)).operation.name).toBe('merge');
  });

  it.each(['', '0', '1..3', '1-3;5', 'odd'])('that are %j are refused with what a selection looks like', (pages) => {
    expect(() => chooseOperation(merge(undefined, pages))).toThrow(
      `/inputs/1/pages: ${JSON.stringify(pages)} is no selection of pages: write 3, 1-3, 4- (to the end) or -1 (the last)`,
    );
  });

  it('are all named that are at fault, and shown in part when they are long', () => {
    const long = 'x'.repeat(1_000);
    expect(() => chooseOperation(merge(long, '1', '0'))).toThrow(
      new RegExp(`^/inputs/0/pages: "x{100}\\.\\.\\." is no .*; /inputs/2/pages: "0" is no `),
    );
  });

  it('are refused by an operation whose option says which pages', () => {
    const inputs = [{ part: 0, pages: '1' }];
    expect(() => chooseOperation({ operation: 'split', inputs, options: {}, metadata: {} })).toThrow(
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
