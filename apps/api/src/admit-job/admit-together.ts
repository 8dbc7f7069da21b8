import { AskTogether } from '#libs/pace';
import {
  type Admission,
  type AdmissionStore,
  isLockTimeout,
  isRolledBack,
  isTableLocked,
  isWriteRefused,
  type JobToAdmit,
  type KeyToTake,
  type NewJob,
} from '#libs/persistence';

const mostTogether = 32;
/** A statement takes a few milliseconds. */
const patienceMs = 20;
/** A job with more inputs goes alone: the others would wait for the writing of them. */
const mostInputs = 20;

/**
 * Admits the jobs of many requests in one statement, when they come faster than the database commits: a round trip, a commit and a wait for the disk
 * serve all of them. Nobody notices who was admitted beside him: when one spoils the statement, each is admitted alone.
 */
export class AdmitTogether {
  private readonly together = new AskTogether<JobToAdmit, Promise<Admission>>((asked) => this.admitAll(asked), {
    mostTogether,
    patienceMs,
  });

  constructor(private readonly store: Pick<AdmissionStore, 'admitJob' | 'admitJobs'>) {}

  /** Writes a job, under its key when it has one. @throws what the database throws at this job */
  async admit(apiKeyId: string, job: NewJob, key: KeyToTake | null): Promise<Admission> {
    if (!mayGoTogether(job, key)) return this.store.admitJob(apiKeyId, job, key);
    return this.together.ask({ apiKeyId, job, record: key?.record ?? null });
  }

  /** Those that are taken apart are waited for one by one, not here. */
  private async admitAll(asked: readonly JobToAdmit[]): Promise<readonly Promise<Admission>[]> {
    try {
      return (await this.admitAtOnce(asked)).map((admission) => Promise.resolve(admission));
    } catch (error) {
      if (asked.length === 1 || !isSpoiltByOne(error)) throw error;
      return asked.map((each) => this.admitAlone(each));
    }
  }

  private async admitAtOnce(asked: readonly JobToAdmit[]): Promise<readonly Admission[]> {
    const [first] = asked;
    return first !== undefined && asked.length === 1 ? [await this.admitAlone(first)] : this.store.admitJobs(asked);
  }

  private admitAlone({ apiKeyId, job, record }: JobToAdmit): Promise<Admission> {
    return this.store.admitJob(apiKeyId, job, record && { record, mode: 'insert' });
  }
}

/** One that replaces an expired key, or awaits a job that may not end meanwhile, waits for rows that the others do not need. */
function mayGoTogether(job: NewJob, key: KeyToTake | null): boolean {
  const awaitsJob = job.inputs.some(({ document, source }) => document === null && source !== null);
  return key?.mode !== 'replace' && !awaitsJob && job.inputs.length <= mostInputs;
}

/** Each of these proves that nothing was written. A table that is locked, all of them would wait for again. */
function isSpoiltByOne(error: unknown): boolean {
  if (isLockTimeout(error)) return !isTableLocked(error);
  return isRolledBack(error) || isWriteRefused(error);
}
