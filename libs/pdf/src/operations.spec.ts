import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { operationNames, type OperationName } from './operation.js';
import { operations } from './operations.js';

function messagesOf(name: OperationName, options: unknown): string[] {
  const parsed = operations[name].optionsSchema.safeParse(options);
  return parsed.success ? [] : parsed.error.issues.map((issue) => `/${issue.path.join('/')}: ${issue.message}`);
}

describe('the operations', () => {
  it('are registered under their names', () => {
    expect(Object.keys(operations)).toEqual([...operationNames]);
    for (const name of operationNames) expect(operations[name].name).toBe(name);
  });

  it('are declared without loading a PDF library', () => {
    const index = pathToFileURL(resolve('dist/libs/pdf/src/index.js'));
    const script = `
      import { createRequire } from 'node:module';
      await import(${JSON.stringify(index)});
      process.stdout.write(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`;
    const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(loaded).not.toContain('pdf-lib');
  });
});

describe('the sentences with which options are refused', () => {
  const sound = { merge: {}, split: {}, pages: {}, rotate: { angle: 90 }, watermark: { text: 'a' } };
  const wrong = [null, '', 'x\u0000', 'x'.repeat(2_001), '\n'.repeat(100), -1e9, 0.5, 1e9, true, [], [0], {}, { a: 0 }];
  const inputs = [-1, 0, 'one'].map((input) => ({ input, page: input }));
  const others = [{}, { by: 'ranges', ranges: [] }, { by: 'every', ranges: ['1'] }, { ranges: [] }, { keep: '1' }];
  const conflicts = [{ image: { input: 1 } }, { font_size: 9, scale: 1 }, { pdf: { input: 1 }, text: undefined }];

  it.each(operationNames)('of %s end without a full stop', (name) => {
    const schema = JSON.stringify(z.toJSONSchema(operations[name].optionsSchema, { io: 'input' }));
    const options = [...schema.matchAll(/"(\w+)":\{"(?:type|anyOf|const|default|enum|description)/g)].map(
      ([, key]) => key,
    );
    const single = options.flatMap((key = '') => [...wrong, ...inputs].map((value) => ({ [key]: value })));
    const messages = [...single, ...others, ...conflicts, { color: '#000000', text: undefined, image: { input: 1 } }]
      .flatMap((values) => [values, { ...sound[name], ...values }])
      .flatMap((values) => messagesOf(name, values));
    expect(options.length).toBeGreaterThan(0);
    expect(messages.filter((message) => message.endsWith('.'))).toEqual([]);
    expect(messages.length).toBeGreaterThan(options.length);
  });
});

describe('merge', () => {
  it('refuses an option that it does not have', () => {
    expect(messagesOf('merge', {})).toEqual([]);
    expect(messagesOf('merge', { order: 'name' })).toEqual([expect.stringContaining('"order"')]);
  });

  it('takes one or more inputs and counts them', () => {
    const { minInputs, maxInputs, progress } = operations.merge;
    const known = [minInputs, maxInputs, progress.unit, progress.total({}, 7)];
    expect(known).toEqual([1, null, 'inputs', 7]);
  });
});

describe('split', () => {
  it('splits by pages when nothing is said', () => {
    expect(operations.split.optionsSchema.parse({})).toEqual({ by: 'pages' });
    expect(operations.split.optionsSchema.parse({ by: 'pages' })).toEqual({ by: 'pages' });
  });

  it('takes selections of every kind', () => {
    const ranges = ['3', '1-3', '4-', '-1', '-3--1', '2--1', '1-3,7', '3-1', '-1-1'];
    expect(messagesOf('split', { by: 'ranges', ranges })).toEqual([]);
  });

  it.each(['a-b', '1,,2', '0', ''])('names the range %j that is none, and its place', (range) => {
    expect(messagesOf('split', { by: 'ranges', ranges: ['1', range] })).toEqual([
      expect.stringContaining(`/ranges/1: ${JSON.stringify(range)} is no selection of pages`),
    ]);
  });

  it.each([
    [
      { by: 'every', pages: 1 },
      { by: 'every', pages: 1 },
    ],
    [
      { by: 'size', max_bytes: 1_000_000 },
      { by: 'size', max_bytes: 1_000_000 },
    ],
  ])('takes %j', (options, parsed) => {
    expect(operations.split.optionsSchema.parse(options)).toEqual(parsed);
  });

  it.each([
    [{ by: 'ranges' }, '/ranges: '],
    [{ by: 'ranges', ranges: [] }, '/ranges: '],
    [{ by: 'ranges', ranges: ['1'], span: 2 }, '/: Unrecognized key: "span"'],
    [{ by: 'pages', ranges: ['1'] }, '/: "by" is "pages": ranges goes with "by": "ranges"'],
    [{ by: 'size', max_bytes: 9, pages: 2 }, '/: "by" is "size": pages goes with "by": "every"'],
    [
      { by: 'outline', ranges: ['1'], max_bytes: 9, span: 2 },
      '/: "by" is "outline": ranges goes with "by": "ranges", max_bytes goes with "by": "size"; the other fields are unknown',
    ],
    [{ ranges: ['1'] }, '/: "by" is missing: ranges goes with "by": "ranges"'],
    [{ pages: 2 }, '/: "by" is missing: pages goes with "by": "every"'],
    [{ by: 'chapters' }, '/by: "chapters" is no way to split'],
    [{ by: 'ranges', ranges: Array.from({ length: 1001 }, () => '1') }, '/ranges: '],
    [{ by: 'every' }, '/pages: '],
    [{ by: 'every', pages: 0 }, '/pages: '],
    [{ by: 'every', pages: 1.5 }, '/pages: '],
    [{ by: 'size', max_bytes: 0 }, '/max_bytes: '],
    [{ by: 'size', max_bytes: '1MB' }, '/max_bytes: '],
    [null, '/: '],
  ])('refuses %j and says where', (options, message) => {
    expect(messagesOf('split', options)).toEqual([expect.stringContaining(message)]);
  });

  it('takes one input and knows its total only from the document', () => {
    const { minInputs, maxInputs, progress } = operations.split;
    expect([minInputs, maxInputs, progress.unit, progress.total({ by: 'pages' }, 1)]).toEqual([1, 1, 'pages', 0]);
  });
});

describe('pages', () => {
  it.each([{ keep: '3,1-2' }, { keep: '-1-1' }, { delete: '2-' }])('takes %j', (options) => {
    expect(operations.pages.optionsSchema.parse(options)).toEqual(options);
  });

  it.each([
    [{}, '/: name the pages to "keep" or to "delete"'],
    [{ keep: '1', delete: '2' }, '/: "keep" and "delete" exclude each other: name one of them'],
    [{ keep: '0' }, '/keep: "0" is no selection of pages'],
    [{ delete: 'all' }, '/delete: "all" is no selection of pages'],
    [{ keep: '1', order: 'name' }, '/: Unrecognized key: "order"'],
  ])('refuses %j and says where', (options, message) => {
    expect(messagesOf('pages', options)).toEqual([expect.stringContaining(message)]);
  });
});
