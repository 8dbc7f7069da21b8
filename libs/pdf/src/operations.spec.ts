import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { operationNames } from './operation.js';
import { operations } from './operations.js';

function messagesOf(name: 'merge' | 'split', options: unknown): string[] {
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

describe('merge', () => {
  it('takes no options', () => {
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

  it('takes ranges of every kind', () => {
    expect(messagesOf('split', { by: 'ranges', ranges: ['3', '1-3', '4-', '-1', '-3--1', '2--1'] })).toEqual([]);
  });

  it.each(['a-b', '3-1', '0', ''])('names the range %j that is none, and its place', (range) => {
    expect(messagesOf('split', { by: 'ranges', ranges: ['1', range] })).toEqual([
      expect.stringContaining(`/ranges/1: ${JSON.stringify(range)} is not a page range`),
    ]);
  });

  it.each([
    [{ by: 'ranges' }, '/ranges: '],
    [{ by: 'ranges', ranges: [] }, '/ranges: '],
    [{ by: 'ranges', ranges: ['1'], span: 2 }, '/: Unrecognized key: "span"'],
    [{ by: 'pages', ranges: ['1'] }, '/: goes with "by": "ranges" only'],
    [{ ranges: ['1'] }, '/: "by" is missing: ranges go with "by": "ranges"'],
    [{ by: 'chapters' }, '/by: "chapters" is no way to split'],
    [{ by: 'ranges', ranges: Array.from({ length: 1001 }, () => '1') }, '/ranges: '],
    [null, '/: '],
  ])('refuses %j and says where', (options, message) => {
    expect(messagesOf('split', options)).toEqual([expect.stringContaining(message)]);
  });

  it('takes one input and knows its total only from the document', () => {
    const { minInputs, maxInputs, progress } = operations.split;
    expect([minInputs, maxInputs, progress.unit, progress.total({ by: 'pages' }, 1)]).toEqual([1, 1, 'pages', 0]);
  });
});
