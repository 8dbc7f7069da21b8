import { RequestRefused } from '#libs/contract';
import { type Job, jobSubmittedCommand, jobView, type OutputLinks, reach, typeId } from '#libs/domain';
import type { Announcer } from '#libs/messaging';
import { brokenConstraint, type JobAdmissionStore, type NewJob, type NewJobInput } from '#libs/persistence';
import { uuidv7 } from 'uuidv7';
import { jsonAnswer } from '../http/json-answer.js';
import type { DecidedAnswer } from '../http/send-answer.js';
import type { CreateIntent } from '../idempotency/create-intent.js';
import type { Attempt, CreateWork, DecideOnce } from '../idempotency/decide-once.js';
import { chooseOperation, type ChosenOperation, type JobSubmission } from './job-submission.js';
import type { ResolveInputs } from './resolve-inputs.js';

/** Accepts a job: key, job, inputs and command become true in one statement, or nothing does. */
export class AdmitJob {
  constructor(
    private readonly decide: DecideOnce,
    private readonly inputs: ResolveInputs,
    private readonly store: JobAdmissionStore,
    private readonly links: OutputLinks,
    private readonly announcer: Announcer,
  ) {}

  /** @throws RequestRefused */
  async admit(intent: CreateIntent, submission: JobSubmission): Promise<DecidedAnswer> {
    return this.decide.decide(intent, async () => this.workOf(intent, await this.newJob(intent, submission)));
  }

  private async newJob(intent: CreateIntent, submission: JobSubmission): Promise<NewJob> {
    const request = submission.read();
    const chosen = chooseOperation(request);
    const inputs = await this.inputs.resolve(intent.caller.accountId, request.inputs, submission.files);
    return jobOf(intent, chosen, inputs, request.metadata);
  }

  private workOf(intent: CreateIntent, job: NewJob): CreateWork {
    return {
      answer: jsonAnswer(202, `/v1/jobs/${typeId('job', job.id)}`, jobView(acceptedJob(job), this.links)),
      write: async (keyed): Promise<Attempt> => {
        await reach('admission.before-statement');
        const admission = await this.store.admit(intent.caller.keyId, job, keyed).catch(refuseLostInput);
        if (admission.kind !== 'admitted') return admission.kind;
        await reach('admission.after-commit');
        this.announcer.announce([admission.record]);
        return 'done';
      },
    };
  }
}

function jobOf(
  intent: CreateIntent,
  { operation, options }: ChosenOperation,
  inputs: readonly NewJobInput[],
  metadata: NewJob['metadata'],
): NewJob {
  const id = uuidv7();
  const createdAt = new Date();
  return {
    id,
    accountId: intent.caller.accountId,
    operation: operation.name,
    options,
    metadata,
    idempotencyKey: intent.key,
    progress: { done: 0, total: operation.progress.total(options, inputs.length), unit: operation.progress.unit },
    createdAt,
    inputs,
    command: jobSubmittedCommand(uuidv7(), id, operation.name, createdAt),
  };
}

/** The job as it is accepted: nothing in it changes later. */
function acceptedJob(job: NewJob): Job {
  return {
    ...job,
    state: 'queued',
    attempt: 0,
    batchId: null,
    clientItemId: null,
    startedAt: null,
    finishedAt: null,
    expiresAt: null,
    outputs: [],
    warnings: [],
    error: null,
  };
}

/** The collector took an object between the look and the statement. */
function refuseLostInput(error: unknown): never {
  if (brokenConstraint(error) !== 'job_inputs_object_exists') throw error;
  throw new RequestRefused(
    'input_not_found',
    'an input was deleted while the job was being accepted',
    {},
    { cause: error },
  );
}
