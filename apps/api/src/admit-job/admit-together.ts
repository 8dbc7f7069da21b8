import { AskTogether } from '#libs/pace';
import {
  type Admission,
  type AdmissionStore,
  isRolledBack,
  isRowLocked,
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
 * serve all of them. Nobody notices who was admitted beside him: when one spoils the statement, each is admitted alone. A row that others hold is
 * waited for by few at a time, so that connections are left for those who need no such row.
 */
export class AdmitTogether {
  private readonly together = new AskTogether<JobToAdmit, Promise<Admission>>((asked) => this.admitAll(asked), {
    mostTogether,
    patienceMs,
  });
  private waiting = 0;

  /** @param mostWaiting how many may wait for rows at a time, each on a connection; the others are told of the lock at once */
  constructor(
    private readonly store: Pick<AdmissionStore, 'admitJob' | 'admitJobs'>,
    private readonly mostWaiting: number,
  ) {}

  /** Writes a job, under its key when it has one. @throws what the database throws at this job */
  async admit(apiKeyId: string, job: NewJob, key: KeyToTake | null): Promise<Admission> {
    if (!mayGoTogether(job, key)) return this.store.admitJob(apiKeyId, job, key);
    return this.together.ask({ apiKeyId, job, record: key?.record ?? null });
  }

  /** Those that are taken apart are waited for one by one, not here. */
  private async admitAll(asked: readonly JobToAdmit[]): Promise<readonly Promise<Admission>[]> {
    try {
      return (await this.store.admitJobs(asked)).map((admission) => Promise.resolve(admission));
    } catch (error) {
      if (!isSpoiltByOne(error)) throw error;
      return asked.map((each) => (asked.length === 1 ? this.waitAfter(error, each) : this.admitAlone(each)));
    }
  }

  private async admitAlone(asked: JobToAdmit): Promise<Admission> {
    try {
      const [admission] = await this.store.admitJobs([asked]);
      return admission as Admission;
    } catch (error) {
      return this.waitAfter(error, asked);
    }
  }

  /** Waits, as long as a session may, for the row of which a statement in a hurry was told that it is locked. */
  private async waitAfter(error: unknown, { apiKeyId, job, record }: JobToAdmit): Promise<Admission> {
    if (!isRowLocked(error) || this.waiting >= this.mostWaiting) throw error;
    this.waiting += 1;
    try {
      return await this.store.admitJob(apiKeyId, job, record && { record, mode: 'insert' });
    } finally {
      this.waiting -= 1;
    }
  }
}

/** One that replaces an expired key, or awaits a job that may not end meanwhile, waits for rows that the others do not need. */
function mayGoTogether(job: NewJob, key: KeyToTake | null): boolean {
  const awaitsJob = job.inputs.some(({ document, source }) => document === null && source !== null);
  return key?.mode !== 'replace' && !awaitsJob && job.inputs.length <= mostInputs;
}

/** Each of these proves that nothing was written. A table that is locked, all of them would wait for again. */
function isSpoiltByOne(error: unknown): boolean {
  return isRowLocked(error) || isRolledBack(error) || isWriteRefused(error);
}
