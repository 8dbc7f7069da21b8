/**
 * The moments of a job's way at which a process may be killed in a test. Each is a place where a crash would show
 * a hole if there were one. Nothing is armed in production: only a test start file arms them.
 */
export const failpointNames = [
  'admission.before-statement',
  'admission.after-commit',
  'job.after-claim',
  'job.at-work',
  'job.after-output-stored',
  'job.after-settle',
  'relay.after-publish',
  'delivery.after-claim',
  'delivery.after-answer',
] as const;

/** One of {@link failpointNames}. */
export type FailpointName = (typeof failpointNames)[number];

type Handler = (name: FailpointName) => Promise<void> | void;

let armed: Handler | undefined;

/** Arms every failpoint with one handler for the rest of the process. */
export function armFailpoints(handler: Handler): void {
  armed = handler;
}

/** Marks that the process is at a named moment; returns at once unless a test start file armed it. */
export async function reach(name: FailpointName): Promise<void> {
  if (armed !== undefined) await armed(name);
}
