import { RequestRefused } from '#libs/contract';
import { readBatch } from './batch-submission.js';

function item(name: string, parts: object = {}) {
  return { client_item_id: name, operation: 'merge', inputs: [{ file_id: 'file_x' }], ...parts };
}

function refusalOf(items: readonly object[]): RequestRefused {
  try {
    readBatch({ items });
  } catch (error) {
    if (error instanceof RequestRefused) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

function pointers({ extra }: RequestRefused): readonly string[] {
  return extra.errors?.map(({ pointer }) => pointer) ?? [];
}

describe('the items of a batch', () => {
  it('are read in their order, each with its operation and its checked options', () => {
    const split = { operation: 'split', options: { by: 'pages' } };
    const chosen = readBatch({ items: [item('b', split), item('a')] });
    expect(chosen.map(({ item: read, operation }) => [read.client_item_id, operation.name])).toEqual([
      ['b', 'split'],
      ['a', 'merge'],
    ]);
    expect(chosen[0]?.options).toEqual({ by: 'pages' });
  });

  it('that are at fault are all named, each at its place', () => {
    const refusal = refusalOf([
      item('a', { operation: 'shred' }),
      item('b'),
      item('c', { operation: 'split', options: { by: 'weight' } }),
      item('d', { operation: 'split', inputs: [{ file_id: 'f' }, { file_id: 'g' }] }),
    ]);
    expect(refusal.code).toBe('invalid_request');
    expect(pointers(refusal)).toEqual(['/items/0/operation', '/items/2/options/by', '/items/3/inputs']);
  });

  it('that are at fault are named with all that is wrong, in the order of the batch', () => {
    const refusal = refusalOf([
      item('a', {
        operation: 'split',
        options: { by: 'weight' },
        inputs: [{ file_id: 'f', pages: '1' }, { file_id: 7 }],
      }),
      item('b', { metadata: 1 }),
      item('b', { inputs: [], pages: 1 }),
      { operation: 'shred' },
    ]);
    expect(pointers(refusal)).toEqual([
      ...['/items/0/inputs', '/items/0/inputs/0/pages', '/items/0/inputs/1/file_id', '/items/0/options/by'],
      ...['/items/1/metadata', '/items/2/client_item_id', '/items/2/inputs', '/items/2/pages'],
      ...['/items/3/operation', '/items/3/inputs', '/items/3/client_item_id'],
    ]);
  });

  it('that are at fault in great number are named a hundred times, and the rest is counted', () => {
    const refusal = refusalOf(Array.from({ length: 250 }, (_, index) => item(`${index}`, { operation: 'shred' })));
    expect(pointers(refusal)).toHaveLength(100);
    expect(refusal.detail).toMatch(/^\/items\/0\/operation: .*; \/items\/99\/operation: .*; and 150 more$/);
  });

  it('have names that are unique within the batch', () => {
    const refusal = refusalOf([item('a'), item('b'), item('a')]);
    expect(pointers(refusal)).toEqual(['/items/2/client_item_id']);
    expect(refusal.detail).toContain('is the client_item_id of item 0 too');
  });

  it('are 1 to 1,000, and their fields are known ones', () => {
    expect(pointers(refusalOf([]))).toEqual(['/items']);
    expect(pointers(refusalOf(Array.from({ length: 1_001 }, (_, index) => item(`${index}`))))).toEqual(['/items']);
    expect(pointers(refusalOf([item('a', { colour: 'red' })]))).toEqual(['/items/0/colour']);
    expect(pointers(refusalOf([{ operation: 'merge', inputs: [{ file_id: 'f' }] }]))).toEqual([
      '/items/0/client_item_id',
    ]);
    const withKey = refusalOf([item('a', { idempotency_key: 'k' })]);
    expect(withKey.detail).toContain('is sent in the Idempotency-Key header');
  });

  it('have at most 10,000 inputs in all', () => {
    const inputs = (count: number) => ({ inputs: Array.from({ length: count }, () => ({ file_id: 'f' })) });
    const full = Array.from({ length: 10 }, (_, index) => item(`${index}`, inputs(1_000)));
    expect(readBatch({ items: full })).toHaveLength(10);
    const refusal = refusalOf([...full, item('more')]);
    expect(refusal.detail).toBe('/items: they have 10001 inputs in all; a batch takes 10000');
  });
});
