import { isAllocationFailure, OutOfMemory } from './allocation-failure.js';

describe('an allocation failure', () => {
  it.each([
    ['the engine, of an array', new RangeError('Array buffer allocation failed')],
    ['the engine, of a text', new RangeError('Invalid string length')],
    ['zlib', Object.assign(new Error('insufficient memory'), { code: 'Z_MEM_ERROR' })],
    ['a program that works for this process', new OutOfMemory()],
  ])('is known however it is told: by %s', (_, error) => {
    expect(isAllocationFailure(error)).toBe(true);
  });

  it.each([
    ['a stack that is full', new RangeError('Maximum call stack size exceeded')],
    ['damaged data', Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' })],
    ['a text about one', 'out of memory'],
  ])('is not %s', (_, error) => {
    expect(isAllocationFailure(error)).toBe(false);
  });
});
