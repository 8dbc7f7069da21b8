import { RequestRefused } from '#libs/contract';
import { reach } from '#libs/failpoints';
import type { Announcer } from '#libs/messaging';
import { type Admission, brokenConstraint } from '#libs/persistence';
import type { WriteOutcome } from '../idempotency/create-work.js';

/** Makes the one write of an admission and tells the relay of it; `stale` when a job whose output is awaited has ended. @throws RequestRefused */
export async function writeAdmission(admit: () => Promise<Admission>, announcer: Announcer): Promise<WriteOutcome> {
  await reach('admission.before-statement');
  const admission = await admit().catch(refuseLostInput);
  if (admission.kind === 'input-ended') return 'stale';
  if (admission.kind !== 'admitted') return admission.kind;
  await reach('admission.after-commit');
  announcer.announce(admission.records);
  return 'done';
}

/** The collector took an object between the look and the statement. */
function refuseLostInput(error: unknown): never {
  if (brokenConstraint(error) !== 'job_inputs_object_exists') throw error;
  throw new RequestRefused('input_not_found', 'an input was deleted while it was being accepted', {}, { cause: error });
}
