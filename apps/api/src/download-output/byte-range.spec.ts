import { readByteRange } from './byte-range.js';

describe('readByteRange', () => {
  it.each([
    ['bytes=0-0', { kind: 'part', start: 0, end: 0 }],
    ['bytes=5-', { kind: 'part', start: 5, end: 9 }],
    ['bytes=-3', { kind: 'part', start: 7, end: 9 }],
    ['bytes=-30', { kind: 'part', start: 0, end: 9 }],
    ['bytes=8-100', { kind: 'part', start: 8, end: 9 }],
    ['bytes=10-', { kind: 'unsatisfiable' }],
    ['bytes=-0', { kind: 'unsatisfiable' }],
    ['bytes=3-1', { kind: 'whole' }],
    ['bytes=0-1,3-4', { kind: 'whole' }],
    ['pages=1-2', { kind: 'whole' }],
    ['bytes=-', { kind: 'whole' }],
    [undefined, { kind: 'whole' }],
  ])('reads %p of ten bytes (contract 2.7)', (header, reading) => expect(readByteRange(header, 10)).toEqual(reading));
});
