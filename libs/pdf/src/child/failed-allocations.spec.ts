import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a process of its own prints, which notes allocations; here the errors of another realm would be met. */
function printed(code: string): unknown {
  const url = pathToFileURL(resolve('dist/libs/pdf/src/child/failed-allocations.js')).href;
  const script = `
    import { noteFailedAllocations, takeFailedAllocation } from '${url}';
    const plain = Uint8Array;
    noteFailedAllocations();
    ${code}`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

describe('an allocation that fails', () => {
  it('is noted once, even if its error goes no further', () => {
    const code = `
      try { new Uint8Array(2 ** 52); } catch {}
      console.log(JSON.stringify([takeFailedAllocation(), takeFailedAllocation()]));`;
    expect(printed(code)).toEqual([true, false]);
  });

  it('is told from a wrong argument', () => {
    const code = `
      try { new Uint8Array(new ArrayBuffer(4), 5); } catch ({ name }) {
        console.log(JSON.stringify([name, takeFailedAllocation()]));
      }`;
    expect(printed(code)).toEqual(['RangeError', false]);
  });

  it('changes nothing for those that succeed', () => {
    const code = `
      class Own extends Uint8Array {}
      const arrays = [new Uint8Array(2), new Uint8Array([1, 2]), new Uint8Array(new ArrayBuffer(8), 2, 3), new Own(4), Buffer.alloc(1)];
      console.log(JSON.stringify({
        lengths: arrays.map(({ length }) => length),
        areArrays: arrays.every((array) => array instanceof Uint8Array && array instanceof plain),
        isOwn: arrays[3] instanceof Own,
        made: [...Uint8Array.of(1, 2), ...Uint8Array.from([3])],
      }));`;
    expect(printed(code)).toEqual({ lengths: [2, 2, 3, 4, 1], areArrays: true, isOwn: true, made: [1, 2, 3] });
  });
});
