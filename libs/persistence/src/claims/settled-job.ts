import type { Job } from '#libs/domain';

/** A job whose end was just written, and whose it is. */
export interface SettledJob {
  readonly accountId: string;
  readonly job: Job;
}
