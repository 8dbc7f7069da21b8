import { RequestRefused } from '#libs/contract';
import { reach } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import { type Admission, brokenConstraint } from '#libs/persistence';
import type { Attempt } from '../idempotency/create-work.js';

/** A job whose output is awaited ended between the look at it and the statement; nothing was written. */
class InputEnded extends Error {
  override readonly name = 'InputEnded';
}

const mostLooks = 5;

/** Makes the one write of an admission and tells the relay of it. @throws RequestRefused, and what {@link lookAgain} catches */
export async function writeAdmission(admit: () => Promise<Admission>, announcer: Announcer): Promise<Attempt> {
  await reach('admission.before-statement');
  const admission = await admit().catch(refuseLostInput);
  if (admission.kind === 'input-ended') throw new InputEnded();
  if (admission.kind !== 'admitted') return admission.kind;
  await reach('admission.after-commit');
  announcer.announce(admission.records);
  return 'done';
}

/** Repeats an admission, its look at the inputs included, as long as awaited jobs end in the middle of it. @throws RequestRefused */
export async function lookAgain<T>(admit: () => Promise<T>): Promise<T> {
  for (let look = 1; ; look += 1) {
    try {
      return await admit();
    } catch (error) {
      if (!(error instanceof InputEnded)) throw error;
      if (look < mostLooks) continue;
      throw new RequestRefused('unavailable', 'the jobs that are inputs keep ending; nothing was accepted', {
        retryAfterSeconds: 1,
      });
    }
  }
}

/** The collector took an object between the look and the statement. */
function refuseLostInput(error: unknown): never {
  if (brokenConstraint(error) !== 'job_inputs_object_exists') throw error;
  throw new RequestRefused('input_not_found', 'an input was deleted while it was being accepted', {}, { cause: error });
}
