import { isAllocationFailure } from './allocation-failure.js';
import type { DocumentFailure } from './document-failure.js';
import { DocumentFailed } from './document-failure.js';

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
