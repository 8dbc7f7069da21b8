import { jobView, type OutputLinks } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import type { NewJob } from '#libs/persistence';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { CreateWork } from '../idempotency/create-work.js';
import type { DecideOnce } from '../idempotency/decide-once.js';
import type { AdmitTogether } from './admit-together.js';
import { chooseJob } from './choose-job.js';
import type { JobSubmission } from './job-submission.js';
import { acceptedJob, newJob } from './new-job.js';
import type { ResolveInputs } from './resolve-inputs.js';
import { writeAdmission } from './write-admission.js';

/** Accepts a job: key, job, inputs and command become true in one statement, or nothing of them does. Others may share the statement. */
export class AdmitJob {
  constructor(
    private readonly decide: DecideOnce,
    private readonly inputs: ResolveInputs,
    private readonly admissions: AdmitTogether,
    private readonly links: OutputLinks,
    private readonly announcer: Announcer,
  ) {}

  /** @throws RequestRefused */
  async admit(intent: CreateIntent, submission: JobSubmission): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () => this.workOf(intent, await this.newJob(intent, submission)));
  }

  private async newJob(intent: CreateIntent, submission: JobSubmission): Promise<NewJob> {
    const { request, ...chosen } = chooseJob(submission.read());
    const places = request.inputs.map((reference, index) => ({ ...reference, pointer: `/inputs/${index}` }));
    const inputs = await this.inputs.resolve(intent.caller.accountId, places, submission.files);
    return newJob(intent, chosen, inputs, request.metadata, new Date());
  }

  private workOf(intent: CreateIntent, job: NewJob): CreateWork {
    const view = jobView(acceptedJob(job), this.links);
    return {
      answer: jsonAnswer(202, `/v1/jobs/${view.id}`, view),
      write: (key) => writeAdmission(() => this.admissions.admit(intent.caller.keyId, job, key), this.announcer),
    };
  }
}
