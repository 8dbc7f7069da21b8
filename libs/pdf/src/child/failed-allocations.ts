import { isAllocationFailure } from '../document/failure/allocation-failure.js';

let hasFailed = false;

/**
 * From now on allocations that fail are noted: a library may take the error for one of the document, go on without what it wanted to read
 * and make a result with a part missing. Everything that the documents need in bulk is a `Uint8Array`.
 */
export function noteFailedAllocations(): void {
  const Plain = globalThis.Uint8Array;
  function Noting(this: unknown, ...words: ConstructorParameters<typeof Plain>): Uint8Array {
    try {
      return new.target === Noting ? new Plain(...words) : (Reflect.construct(Plain, words, new.target) as Uint8Array);
    } catch (error) {
      hasFailed ||= isAllocationFailure(error);
      throw error;
    }
  }
  Noting.prototype = Plain.prototype;
  Object.setPrototypeOf(Noting, Plain);
  globalThis.Uint8Array = Noting as unknown as typeof Plain;
}

/** Whether an allocation has failed since it was asked for the last time. */
export function takeFailedAllocation(): boolean {
  const failed = hasFailed;
  hasFailed = false;
  return failed;
}
