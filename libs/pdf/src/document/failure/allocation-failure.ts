const refusals =
  /allocation failed|out of memory|could not allocate|unable to grow|invalid (typed )?array (buffer )?length|invalid string length/i;

/** A program that works on documents for this process got no more memory. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}

/** Whether memory ran out, as far as JavaScript can catch it. */
export function isAllocationFailure(error: unknown): boolean {
  return error instanceof OutOfMemory || (error instanceof RangeError && refusals.test(error.message));
}
