import type { Job } from '#libs/domain';
import type { Settled } from './settled.js';

/** What settling a job came to; `settled` tells the job as it is now, and whose it is. */
export type SettledJob =
  | { readonly outcome: 'settled'; readonly accountId: string; readonly job: Job }
  | { readonly outcome: Exclude<Settled, 'settled'> };
