import type { DocumentFailure } from './document-failure.js';
import { DocumentFailed } from './document-failure.js';

const allocationFailure =
  /allocation failed|out of memory|could not allocate|unable to grow|invalid (typed )?array (buffer )?length|invalid string length/i;

/**
 * Runs code that a hostile document may break in any way (a TypeError from the library, a stack overflow) and turns what
 * it throws into this failure. Failed allocations stay what they are: they say nothing about the document's form.
 */
export async function guard<T>(failure: DocumentFailure, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DocumentFailed || isAllocationFailure(error)) throw error;
    throw new DocumentFailed(failure, { cause: error });
  }
}

/** Whether memory ran out, as far as JavaScript can catch it. */
export function isAllocationFailure(error: unknown): boolean {
  return error instanceof RangeError && allocationFailure.test(error.message);
}
