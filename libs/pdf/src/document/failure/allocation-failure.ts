const refusals =
  /allocation failed|out of memory|could not allocate|unable to grow|invalid (typed )?array (buffer )?length|invalid string length/i;

/** How zlib and the buffers of Node say it. */
const refusalCodes: readonly unknown[] = ['Z_MEM_ERROR', 'ERR_MEMORY_ALLOCATION_FAILED'];

/** A program that works on documents for this process got no more memory. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}

/** Whether memory ran out, as far as JavaScript can catch it. */
export function isAllocationFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof OutOfMemory || refusalCodes.includes((error as NodeJS.ErrnoException).code)) return true;
  return error instanceof RangeError && refusals.test(error.message);
}
